import type { AuthDecision } from "@postern/shared/contracts";
import type { WireNames } from "./naming.ts";

/** An answer in its final form, byte for byte. Header names keep their documented spelling. */
export interface DialectReply {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Bytes as latin1 text, which is written together with the headers; a Buffer takes two writes. */
  readonly body: string;
}

const jsonType = "application/json; charset=utf-8";

const plainText = /^[ -~]*$/;

/** Removes control characters, so that a value from a backend or caller cannot split a header. */
export function headerText(value: string): string {
  if (plainText.test(value)) return value;
  // oxlint-disable-next-line no-control-regex -- control characters are what this removes
  return Buffer.from(value.replaceAll(/[\u0000-\u001f\u007f]/g, " "), "utf8").toString("latin1");
}

/** A text in UTF-8 as a body. */
export function utf8Body(text: string): string {
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text, "utf8").toString("latin1");
}

export function jsonReply(status: number, headers: DialectReply["headers"], value: unknown): DialectReply {
  return { status, headers: [...headers, ["Content-Type", jsonType]], body: utf8Body(JSON.stringify(value)) };
}

export function jsonNullReply(status: number, headers: DialectReply["headers"]): DialectReply {
  return { status, headers: [...headers, ["Content-Type", jsonType]], body: "null" };
}

export function emptyReply(status: number, headers: DialectReply["headers"]): DialectReply {
  return { status, headers, body: "" };
}

/** The answer for a path that does not exist or is disabled. */
export function notFoundReply(names: WireNames, session: string): DialectReply {
  return emptyReply(404, [[names.session, session]]);
}

export type Denial = Extract<AuthDecision, { outcome: "fail" | "blocked" }>;

/** `Auth-Wait`, if the engine requests one. */
export function authWait({ waitSeconds }: Denial): DialectReply["headers"] {
  return waitSeconds === undefined ? [] : [["Auth-Wait", String(waitSeconds)]];
}
