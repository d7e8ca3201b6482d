/**
 * Of the page that tells service providers of a logout: it shows who has answered, and goes on as soon as nobody is
 * waited for. Without it, the page goes on when the time is up.
 */
export const signOutScript = `"use strict";
(() => {
  const root = document.querySelector("[data-logout]");
  if (!root) return;
  const address = root.dataset.logout;
  const rows = [...root.querySelectorAll("li")];
  const show = (states) => {
    for (const [place, row] of rows.entries())
      for (const note of row.querySelectorAll("[data-state]")) note.hidden = note.dataset.state !== states[place];
  };
  const look = async () => {
    const reply = await fetch(address + "&state=1", { headers: { accept: "application/json" } });
    if (!reply.ok) throw new Error("state");
    const { states, over } = await reply.json();
    show(states);
    if (over) location.replace(address);
    else setTimeout(step, 300);
  };
  const step = () => look().catch(() => setTimeout(step, 1000));
  step();
})();
`;
