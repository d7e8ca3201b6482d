/**
 * Improves pages that also work without it: times in the browser's zone and region, a button that shows the password,
 * buttons that copy an app password and copy or save recovery codes, and forms that a double click does not send twice.
 */
export const pageScript = `"use strict";
(() => {
  const written = document.documentElement.lang.split("-")[0];
  const locale = navigator.languages.find((tag) => tag.split("-")[0] === written) || document.documentElement.lang;
  const moments = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", numberingSystem: "latn" });
  for (const time of document.querySelectorAll("time[datetime]")) time.textContent = moments.format(new Date(time.dateTime));

  for (const button of document.querySelectorAll("[data-reveal]")) {
    const field = document.getElementById(button.dataset.reveal);
    const show = (shown) => {
      field.type = shown ? "text" : "password";
      button.setAttribute("aria-pressed", String(shown));
    };
    button.hidden = false;
    button.addEventListener("click", () => {
      show(field.type === "password");
      field.focus();
    });
    field.form.addEventListener("submit", () => show(false));
  }

  // Until the response arrives; users who stop the page or return to it may send the form again.
  const sent = new WeakSet();
  const again = (form) => sent.delete(form);
  document.addEventListener("submit", (event) => {
    if (event.defaultPrevented) return;
    if (sent.has(event.target)) return event.preventDefault();
    sent.add(event.target);
    setTimeout(again, 3000, event.target);
  });
  addEventListener("pageshow", () => {
    for (const form of document.forms) again(form);
  });

  const copies = (button, text) => {
    button.hidden = !navigator.clipboard;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text);
      button.textContent = button.dataset.copy;
    });
  };
  for (const button of document.querySelectorAll("[data-from]")) {
    copies(button, document.getElementById(button.dataset.from).textContent);
  }

  const kept = document.querySelector("[data-codes]");
  if (kept) {
    const codes = [...document.querySelectorAll(".codes code")].map((code) => code.textContent);
    const text = [kept.dataset.codes, ...codes, ""].join("\\n");
    copies(kept.querySelector("[data-copy]"), text);
    kept.querySelector("[data-download]").addEventListener("click", () => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
      link.download = "recovery-codes.txt";
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    });
    kept.hidden = false;
  }
})();
`;
