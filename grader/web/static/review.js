// The review page by keys and clicks. Without this script every line's number is a link that does the same.
"use strict";

const place = (name) => document.querySelector(`[data-place="${name}"]`);

function speakOf(link) {
  document.querySelector(".code .chosen")?.classList.remove("chosen");
  link.closest(".line").classList.add("chosen");
  place("at").value = link.dataset.at;
  place("check").value = "";
  const file = link.closest(".code").previousElementSibling.textContent.trim();
  place("words").textContent = `line ${link.textContent.replace("▶", "").trim()} of ${file}`;
}

for (const link of document.querySelectorAll("a[data-at]")) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    speakOf(link);
    document.getElementById("f-text").focus();
  });
}

// j and k go from line to line where something is to be seen.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !["j", "k"].includes(event.key)) return;
  if (event.target.closest("input, textarea, select, [contenteditable]")) return;
  const stops = [...document.querySelectorAll(".code .stop > a.no")];
  if (stops.length === 0) return;
  const here = stops.findIndex((stop) => stop.closest(".line").classList.contains("chosen"));
  const next = event.key === "j" ? Math.min(here + 1, stops.length - 1) : Math.max(here - 1, 0);
  event.preventDefault();
  speakOf(stops[next]);
  stops[next].focus();
  stops[next].scrollIntoView({ block: "center" });
});

for (const button of document.querySelectorAll("[data-insert]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const field = document.getElementById("f-text");
    const words = document.getElementById(button.dataset.insert).textContent.trim();
    field.value = field.value.trim() ? `${field.value.trim()}\n\n${words}` : words;
    field.focus();
  });
}
