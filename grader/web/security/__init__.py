"""What stands before every route: hosts, bodies, headers, cookies, forgery."""
