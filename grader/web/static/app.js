// Small comforts. Every page works without this script.
"use strict";

// A button that was pressed is not pressed twice while its answer is on the way.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset.sent) {
    event.preventDefault();
    return;
  }
  if (form.method !== "post" || form.hasAttribute("data-again")) return;
  form.dataset.sent = "yes";
  // Whoever comes back to this page with the browser's own button may send it again.
  window.addEventListener("pageshow", () => delete form.dataset.sent, { once: true });
});

// A question before what cannot be undone.
document.addEventListener("submit", (event) => {
  const question = event.submitter?.dataset.confirm;
  if (question && !window.confirm(question)) {
    event.preventDefault();
    delete event.target.dataset.sent;
  }
});

// Files dropped on a box go into the file input that the box holds.
for (const box of document.querySelectorAll("[data-drop]")) {
  const input = box.querySelector('input[type="file"]');
  if (!input) continue;
  const over = (event, on) => {
    event.preventDefault();
    box.classList.toggle("over", on);
  };
  box.addEventListener("dragover", (event) => over(event, true));
  box.addEventListener("dragleave", (event) => over(event, false));
  box.addEventListener("drop", (event) => {
    over(event, false);
    if (event.dataTransfer.files.length === 0) return;
    input.files = event.dataTransfer.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });
}

// Keys: a link or button with data-key is pressed by its key, unless somebody is writing.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.target.closest("input, textarea, select, [contenteditable]")) return;
  const target = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (!target) return;
  event.preventDefault();
  if (target.matches("input, textarea, select")) target.focus();
  else target.click();
});

// A secret is copied with one press.
for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent.trim());
    button.textContent = "Copied";
  });
}
