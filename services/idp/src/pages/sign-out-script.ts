/**
 * For the page that notifies service providers of a logout: shows which have answered and continues as soon as all have.
 * OIDC clients do not answer, so it continues shortly after all frames have loaded. Without scripts, the page continues
 * after the timeout.
 */
export const signOutScript = `"use strict";
(() => {
  const root = document.querySelector("[data-logout]");
  if (!root) return;
  const { logout: address, next } = root.dataset;
  if (next !== undefined) {
    const go = () => location.replace(next);
    const soon = () => setTimeout(go, 300);
    setTimeout(go, 3000);
    if (document.readyState === "complete") soon();
    else addEventListener("load", soon);
    return;
  }
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
