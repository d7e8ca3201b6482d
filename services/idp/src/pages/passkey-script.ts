/**
 * The one script of our pages, for passkeys: browsers offer them to scripts only. It reads from the page where to ask
 * and what to say, and writes nothing but the browser's answer.
 */
export const passkeyScript = `"use strict";
(() => {
  const root = document.querySelector("[data-ceremony]");
  if (!root) return;
  const { ceremony, begin, finish, csrf } = root.dataset;
  const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
  const text = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\\+/g, "-").replace(/\\//g, "_").replace(/=+$/, "");
  const listed = (list) => (list || []).map((item) => ({ ...item, id: bytes(item.id) }));
  const say = (name) => {
    for (const note of root.querySelectorAll("[data-problem]")) note.hidden = note.dataset.problem !== name;
  };
  const answer = ({ id, type, rawId, response: r }) => {
    const given = { clientDataJSON: text(r.clientDataJSON) };
    if (r.attestationObject) given.attestationObject = text(r.attestationObject);
    if (r.getTransports) given.transports = r.getTransports();
    if (r.authenticatorData) given.authenticatorData = text(r.authenticatorData);
    if (r.signature) given.signature = text(r.signature);
    if (r.userHandle) given.userHandle = text(r.userHandle);
    return { id, rawId: text(rawId), type, response: given, clientExtensionResults: {} };
  };
  const options = async () => {
    const reply = await fetch(begin, { headers: { accept: "application/json" } });
    if (!reply.ok) throw new Error("begin");
    const { publicKey } = await reply.json();
    publicKey.challenge = bytes(publicKey.challenge);
    if (publicKey.user) publicKey.user.id = bytes(publicKey.user.id);
    if (publicKey.allowCredentials) publicKey.allowCredentials = listed(publicKey.allowCredentials);
    if (publicKey.excludeCredentials) publicKey.excludeCredentials = listed(publicKey.excludeCredentials);
    return publicKey;
  };
  const send = async (credential) => {
    const field = root.querySelector("#name");
    const remember = document.querySelector("[name=remember_me]");
    const body = { credential: answer(credential) };
    if (ceremony === "create") body.name = field ? field.value : "";
    if (remember) body.remember_me = remember.checked;
    const reply = await fetch(finish, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json", "x-csrf-token": csrf },
      body: JSON.stringify(body),
    });
    const told = await reply.json().catch(() => ({}));
    if (typeof told.redirect === "string") location.assign(told.redirect);
    else throw new Error("finish");
  };
  const failed = (error) => {
    if (error.name === "AbortError") return;
    say(error.name === "NotAllowedError" ? "cancelled" : error.name === "InvalidStateError" ? "known" : "failed");
  };
  let waiting;
  const run = async (mediation) => {
    if (waiting) waiting.abort();
    waiting = new AbortController();
    const { signal } = waiting;
    try {
      const publicKey = await options();
      if (signal.aborted) return;
      const credential =
        ceremony === "create"
          ? await navigator.credentials.create({ publicKey, signal })
          : await navigator.credentials.get({ publicKey, signal, ...(mediation && { mediation }) });
      await send(credential);
    } catch (error) {
      if (!mediation || error.message === "finish") failed(error);
    }
  };
  if (!window.PublicKeyCredential) {
    if (ceremony !== "passkey") say("unsupported");
    return;
  }
  root.querySelectorAll("[hidden]:not([data-problem])").forEach((part) => (part.hidden = false));
  const start = (event) => {
    event.preventDefault();
    say("");
    run();
  };
  const form = root.querySelector("form");
  if (form) form.addEventListener("submit", start);
  else root.querySelector("button").addEventListener("click", start);
  if (ceremony === "passkey" && PublicKeyCredential.isConditionalMediationAvailable) {
    PublicKeyCredential.isConditionalMediationAvailable().then((offered) => offered && run("conditional"));
  }
})();
`;
