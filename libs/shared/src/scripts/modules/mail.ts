import { connect, type Socket } from "node:net";
import type { SMTPTransportOptions } from "nodemailer";
import type { LuaObject, LuaValue } from "../lua-value.ts";
import { objectArgument, textArgument } from "./arguments.ts";
import type { HostFunctions } from "./host.ts";

export interface MailModuleSettings {
  /** `host:port`; the first one is used where a script names none. */
  readonly allowedServers: readonly string[];
  readonly timeoutMs: number;
  readonly maxMessageBytes: number;
}

const maxRecipients = 50;
/** Messages being sent at once; more are refused. */
const maxInFlight = 16;
const tlsModes = ["starttls", "implicit", "none"] as const;

interface Server {
  readonly host: string;
  readonly port: number;
  readonly tls: (typeof tlsModes)[number];
  readonly auth: { readonly user: string; readonly pass: string } | undefined;
}

function optionalText(value: LuaValue, name: string): string | undefined {
  return value === undefined ? undefined : textArgument(value, name);
}

function serverOf(message: LuaObject, { allowedServers }: MailModuleSettings): Server {
  const server = optionalText(message.server, "server") ?? allowedServers[0] ?? "";
  if (!allowedServers.includes(server)) throw new Error(`${server} is not among the allowed servers`);
  const { hostname, port } = new URL(`smtp://${server}`);
  const tls = tlsModes.find((mode) => mode === (message.tls ?? "starttls"));
  if (tls === undefined) throw new TypeError("tls must be starttls, implicit or none");
  const user = optionalText(message.username, "username");
  if (user !== undefined && tls === "none") throw new TypeError("a password needs TLS");
  const auth = user === undefined ? undefined : { user, pass: textArgument(message.password, "password") };
  // An IPv6 address is told in brackets, and meant without.
  return { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port === "" ? 25 : port), tls, auth };
}

function recipientsOf(value: LuaValue): string[] {
  const all: readonly LuaValue[] = Array.isArray(value) ? value : [value];
  if (all.length === 0 || all.length > maxRecipients)
    throw new RangeError(`to must be 1 to ${maxRecipients} addresses`);
  return all.map((address) => textArgument(address, "to"));
}

function messageOf(message: LuaObject, { maxMessageBytes }: MailModuleSettings) {
  const parts = {
    from: textArgument(message.from, "from"),
    to: recipientsOf(message.to),
    subject: textArgument(message.subject, "subject"),
    text: textArgument(message.text, "text"),
    html: optionalText(message.html, "html"),
    replyTo: optionalText(message.reply_to, "reply_to"),
  };
  const bytes = Buffer.byteLength(parts.text) + Buffer.byteLength(parts.html ?? "") + Buffer.byteLength(parts.subject);
  if (bytes > maxMessageBytes) throw new RangeError("message is too large");
  return { ...parts, disableFileAccess: true, disableUrlAccess: true };
}

function optionsOf({ host, port, tls, auth }: Server, timeoutMs: number, signal: AbortSignal): SMTPTransportOptions {
  const timeouts = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs };
  return {
    host,
    port,
    secure: tls === "implicit",
    requireTLS: tls === "starttls",
    ignoreTLS: tls === "none",
    ...(auth === undefined ? {} : { auth }),
    ...timeouts,
    disableFileAccess: true,
    disableUrlAccess: true,
    // A socket of ours ends with the signal, whatever the server does.
    getSocket: (_options, callback) => {
      const connection: Socket = connect({ host, port, signal });
      const fail = (error: Error): void => callback(error, false);
      connection.once("error", fail);
      connection.once("connect", () => {
        connection.off("error", fail);
        callback(null, { connection });
      });
    },
  };
}

/** `mail`: messages to the SMTP servers that the site allows. What a server did not take is an error. */
export function mailModule(settings: MailModuleSettings): HostFunctions {
  let inFlight = 0;
  return {
    "mail.send": async ([argument], context) => {
      const table = objectArgument(argument, "message");
      const server = serverOf(table, settings);
      const message = messageOf(table, settings);
      if (inFlight >= maxInFlight) throw new Error("too many messages are being sent");
      const signal = AbortSignal.any([context.signal, AbortSignal.timeout(settings.timeoutMs)]);
      inFlight += 1;
      try {
        // Read from disk by the first script that sends.
        const { createTransport } = await import("nodemailer");
        const sent = await createTransport(optionsOf(server, settings.timeoutMs, signal)).sendMail(message);
        if (sent.rejected.length > 0) throw new Error("the server did not take every recipient");
        return true;
      } catch (error) {
        if (signal.aborted) throw new Error("the server did not answer in time", { cause: error });
        throw error;
      } finally {
        inFlight -= 1;
      }
    },
  };
}
