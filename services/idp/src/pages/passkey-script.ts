/**
 * The script for passkeys, which browsers offer only to scripts. It reads the URLs and messages from the page and sends
 * nothing but the browser's response. It also signals changes of the account's passkeys to the browser, and a passkey that
 * was removed.
 */
export const passkeyScript = `"use strict";
(() => {
  // A replica of the backend may not yet list a passkey that this browser has just added.
  const added = "passkey-added";
  const remember = () => {
    try {
      localStorage.setItem(added, String(Date.now()));
    } catch {}
  };
  const addedLately = () => {
    try {
      return Date.now() - Number(localStorage.getItem(added)) < 600000;
    } catch {
      return true;
    }
  };
  const signal = (method, facts) => {
    if (window.PublicKeyCredential) return PublicKeyCredential[method]?.(facts).catch(() => undefined);
  };
  // Tells the user's password manager the account's current name and which passkeys it has.
  const told = document.querySelector("[data-signals]");
  if (told) {
    const { rpId, userIds, name, displayName, allAcceptedCredentialIds, wasRemoved } = JSON.parse(told.dataset.signals);
    for (const userId of userIds) {
      signal("signalCurrentUserDetails", { rpId, userId, name, displayName });
      if (allAcceptedCredentialIds && (wasRemoved || !addedLately()))
        signal("signalAllAcceptedCredentials", { rpId, userId, allAcceptedCredentialIds });
    }
  }
  const root = document.querySelector("[data-ceremony]");
  if (!root) return;
  const { ceremony, begin, finish, csrf } = root.dataset;
  const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
  const text = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\\+/g, "-").replace(/\\//g, "_").replace(/=+$/, "");
  const listed = (list) => (list || []).map((item) => ({ ...item, id: bytes(item.id) }));
  const say = (name) => {
    const notes = [...root.querySelectorAll("[data-problem]")];
    const known = name === "" || notes.some((note) => note.dataset.problem === name) ? name : "failed";
    for (const note of notes) note.hidden = note.dataset.problem !== known;
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
  const send = async (credential, rpId) => {
    const field = root.querySelector("#name");
    const stay = document.querySelector("[name=remember_me]");
    const body = { credential: answer(credential) };
    if (ceremony === "create") body.name = field ? field.value : "";
    if (stay) body.remember_me = stay.checked;
    const device = root.querySelector("[name=remember_device]");
    if (device) body.remember_device = device.checked;
    const reply = await fetch(finish, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json", "x-csrf-token": csrf },
      body: JSON.stringify(body),
    });
    const told = await reply.json().catch(() => ({}));
    if (typeof told.redirect === "string") {
      if (ceremony === "create") remember();
      location.assign(told.redirect);
    } else {
      if (told.unknown_credential) await signal("signalUnknownCredential", { rpId, credentialId: credential.id });
      const place = root.querySelector("[data-reference]");
      if (place && typeof told.reference === "string") {
        place.querySelector("code").textContent = told.reference;
        place.hidden = false;
      }
      throw new Error(told.error === "throttled" ? "throttled" : "finish");
    }
  };
  const failed = (error) => {
    if (error.name === "AbortError") return;
    if (error.message === "throttled") return say("throttled");
    say(error.name === "NotAllowedError" ? "cancelled" : error.name === "InvalidStateError" ? "known" : "failed");
  };
  let waiting;
  // The service keeps the challenge of the last request: a click must not overtake the request of the offered passkey.
  let asking = Promise.resolve();
  let isSending = false;
  const run = async (mediation) => {
    if (isSending) return;
    if (waiting) waiting.abort();
    waiting = new AbortController();
    const abort = waiting.signal;
    try {
      const asked = asking.then(options);
      asking = asked.catch(() => undefined);
      const publicKey = await asked;
      if (abort.aborted) return;
      const credential =
        ceremony === "create"
          ? await navigator.credentials.create({ publicKey, signal: abort })
          : await navigator.credentials.get({ publicKey, signal: abort, ...(mediation && { mediation }) });
      isSending = true;
      await send(credential, publicKey.rpId).catch((error) => {
        isSending = false;
        throw error;
      });
    } catch (error) {
      if (!mediation || error.message === "finish" || error.message === "throttled") failed(error);
    }
  };
  if (!window.PublicKeyCredential) {
    if (ceremony !== "passkey") say("unsupported");
    return;
  }
  root.querySelectorAll("[hidden]:not([data-problem], [data-reference])").forEach((part) => (part.hidden = false));
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
