import { type MailServer, mailTlsModes, sendMail } from "../../../platform/mail/send-mail.ts";
import type { LuaObject, LuaValue } from "../lua-value.ts";
import { type HostFunctions, type LuaModules, objectArgument, textArgument } from "./host.ts";

const maxRecipients = 50;
/** Maximum number of messages sent concurrently; further ones are rejected. */
const maxInFlight = 16;

function optionalText(value: LuaValue, name: string): string | undefined {
  return value === undefined ? undefined : textArgument(value, name);
}

/** @param allowedServers `host:port`; the first one is the default */
function serverOf(message: LuaObject, allowedServers: readonly string[]): MailServer {
  const server = optionalText(message.server, "server") ?? allowedServers[0] ?? "";
  if (!allowedServers.includes(server)) throw new Error(`${server} is not among the allowed servers`);
  const { hostname, port } = new URL(`smtp://${server}`);
  const tls = mailTlsModes.find((mode) => mode === (message.tls ?? "starttls"));
  if (tls === undefined) throw new TypeError("tls must be starttls, implicit or none");
  const user = optionalText(message.username, "username");
  if (user !== undefined && tls === "none") throw new TypeError("a password requires TLS");
  const auth = user === undefined ? undefined : { user, pass: textArgument(message.password, "password") };
  // An IPv6 address is written in brackets and used without.
  return { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port === "" ? 25 : port), tls, auth };
}

function recipientsOf(value: LuaValue): string[] {
  const all: readonly LuaValue[] = Array.isArray(value) ? value : [value];
  if (all.length === 0 || all.length > maxRecipients)
    throw new RangeError(`to must contain 1 to ${maxRecipients} addresses`);
  return all.map((address) => textArgument(address, "to"));
}

function messageOf(message: LuaObject, maxBytes: number) {
  const parts = {
    from: textArgument(message.from, "from"),
    to: recipientsOf(message.to),
    subject: textArgument(message.subject, "subject"),
    text: textArgument(message.text, "text"),
    html: optionalText(message.html, "html"),
    replyTo: optionalText(message.reply_to, "reply_to"),
  };
  const bytes = Buffer.byteLength(parts.text) + Buffer.byteLength(parts.html ?? "") + Buffer.byteLength(parts.subject);
  if (bytes > maxBytes) throw new RangeError("message is too large");
  return parts;
}

/** `mail`: messages to the SMTP servers that the site allows. A message that the server does not accept is an error. */
export function mailModule({ allowed_servers, timeout, max_message_bytes }: LuaModules["mail"]): HostFunctions {
  let inFlight = 0;
  return {
    "mail.send": async ([argument], { signal }) => {
      const table = objectArgument(argument, "message");
      const server = serverOf(table, allowed_servers);
      const message = messageOf(table, max_message_bytes);
      if (inFlight >= maxInFlight) throw new Error("too many messages are being sent");
      inFlight += 1;
      try {
        await sendMail(server, message, { timeoutMs: timeout, signal });
        return true;
      } finally {
        inFlight -= 1;
      }
    },
  };
}
