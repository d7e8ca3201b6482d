import type { MailProtocol, MailTarget } from "./target.ts";

/** One step of a protocol: what to send, which line ends the answer, and whether that line means success. */
export interface Exchange {
  readonly send: string;
  readonly isLast: (line: string) => boolean;
  readonly isGood: (line: string) => boolean;
}

export interface Dialogue {
  /** The server's greeting; for HTTP its answer. */
  readonly greeting: Exchange;
  /** The steps up to the server's agreement to start TLS. */
  readonly startTls: readonly Exchange[];
  /** A polite end; its answer is not awaited. */
  readonly quit: string;
}

const anyLine = (): boolean => true;
const says = (pattern: RegExp) => (line: string) => pattern.test(line);
const expecting = (send: string, good: RegExp, isLast: (line: string) => boolean = anyLine): Exchange => ({
  send,
  isLast,
  isGood: says(good),
});

/** RFC 5321 section 4.2.1: the last line has a space after the code. */
const lastReplyLine = says(/^\d{3}(?: |$)/);
const hello = (verb: string): Exchange => expecting(`${verb} postern.invalid\r\n`, /^250/, lastReplyLine);

const smtpLike = (verb: string): Dialogue => ({
  greeting: expecting("", /^220/, lastReplyLine),
  startTls: [hello(verb), expecting("STARTTLS\r\n", /^220/, lastReplyLine)],
  quit: "QUIT\r\n",
});

const dialogues: Readonly<Record<Exclude<MailProtocol, "http">, Dialogue>> = {
  imap: {
    // RFC 9051 section 7.1.
    greeting: expecting("", /^\* (?:OK|PREAUTH)\b/i),
    startTls: [expecting("a STARTTLS\r\n", /^a OK\b/i, says(/^a /))],
    quit: "b LOGOUT\r\n",
  },
  pop3: {
    greeting: expecting("", /^\+OK/),
    startTls: [expecting("STLS\r\n", /^\+OK/)],
    quit: "QUIT\r\n",
  },
  smtp: smtpLike("EHLO"),
  lmtp: smtpLike("LHLO"),
  sieve: {
    // RFC 5804 section 1.7: capabilities, then OK.
    greeting: expecting("", /^OK\b/i, says(/^(?:OK|NO|BYE)\b/i)),
    startTls: [expecting("STARTTLS\r\n", /^OK\b/i, says(/^(?:OK|NO|BYE)\b/i))],
    quit: "LOGOUT\r\n",
  },
};

export function dialogueOf({ protocol, host, requestUri }: MailTarget): Dialogue {
  if (protocol !== "http") return dialogues[protocol];
  const request = `GET ${requestUri} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
  return { greeting: expecting(request, /^HTTP\/1\.[01] [1-4]\d\d\b/), startTls: [], quit: "" };
}
