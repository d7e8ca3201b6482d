import { type CborEncodable, type CborValue, decodeCbor, encodeCbor } from "@postern/shared/platform/cbor";
import type { AskOptions } from "./ask-json.ts";
import { basicAuth } from "./stack.ts";

export interface CborAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  /** The body, decoded by the strict decoder; undefined if it is empty. */
  readonly body: CborValue | undefined;
}

/** `POST /api/v1/auth/cbor` with the API caller's credentials. Bytes are sent unchanged. */
export async function askCbor(
  url: string,
  body: CborEncodable | Uint8Array<ArrayBuffer>,
  { query = "", headers = {} }: AskOptions = {},
): Promise<CborAnswer> {
  const response = await fetch(`${url}/api/v1/auth/cbor${query}`, {
    method: "POST",
    headers: { authorization: basicAuth, "content-type": "application/cbor", ...headers },
    body: body instanceof Uint8Array ? body : Uint8Array.from(encodeCbor(body)),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const { status } = response;
  return { status, headers: response.headers, bytes, body: bytes.length === 0 ? undefined : decodeCbor(bytes) };
}
