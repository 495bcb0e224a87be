"""What a student is told and may do. Nothing here says more than `grader.domain.view` lets through."""
