import { connect, type Socket } from "node:net";
import type { SMTPTransportOptions } from "nodemailer";
import { abortAfter } from "../concurrency/deadline.ts";

export const mailTlsModes = ["starttls", "implicit", "none"] as const;
export type MailTls = (typeof mailTlsModes)[number];

export interface MailServer {
  readonly host: string;
  readonly port: number;
  readonly tls: MailTls;
  readonly auth: { readonly user: string; readonly pass: string } | undefined;
}

export interface MailMessage {
  readonly from: string;
  readonly to: string | string[];
  readonly subject: string;
  readonly text: string;
  readonly html?: string | undefined;
  readonly replyTo?: string | undefined;
  readonly messageId?: string;
  readonly headers?: Record<string, string>;
}

function optionsOf(
  { host, port, tls, auth }: MailServer,
  timeoutMs: number,
  signal: AbortSignal,
): SMTPTransportOptions {
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
    // Our own socket ends with the signal, even if the server does not close its side.
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

/** Sends one message over its own connection. Rejects if the server did not accept it for every recipient in time. */
export async function sendMail(
  server: MailServer,
  message: MailMessage,
  { timeoutMs, signal: ends }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<void> {
  const signal = abortAfter(timeoutMs, ends);
  try {
    // Loaded with the first message.
    const { createTransport } = await import("nodemailer");
    const whole = { ...message, disableFileAccess: true, disableUrlAccess: true };
    const sent = await createTransport(optionsOf(server, timeoutMs, signal)).sendMail(whole);
    if (sent.rejected.length > 0) throw new Error("the server did not accept every recipient");
  } catch (error) {
    if (signal.aborted) throw new Error("the server did not answer in time", { cause: error });
    throw error;
  }
}
