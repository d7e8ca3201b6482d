import { encodeCbor } from "@postern/shared/platform/cbor";
import { fetchAtHost } from "../../support/fetch-at-host.ts";
import { basicAuth, type Stack } from "../../support/stack.ts";

/** One request to an operation, and the status that it must have. */
export interface Drive {
  readonly operationId: string;
  readonly status: number;
  readonly parts: (stack: Stack) => DriveParts | Promise<DriveParts>;
  /** The request violates its own schema, which its status must show. */
  readonly breaksSchema?: true;
}

export interface DriveParts {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: { readonly type: string; readonly value: unknown };
  /** `Authorization`; the correct credentials of the back channel when absent, no credentials when null. */
  readonly authorization?: string | null;
}

export interface DriveAnswer {
  readonly status: number;
  readonly type: string | undefined;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

function bytesOf({ type, value }: NonNullable<DriveParts["body"]>): Uint8Array<ArrayBuffer> | string {
  if (type === "application/cbor") return new Uint8Array(encodeCbor(Object(value)));
  if (type === "application/x-www-form-urlencoded") return new URLSearchParams(Object(value)).toString();
  return type === "text/xml" ? String(value) : JSON.stringify(value);
}

/** Sends it as any client would. */
export async function send(
  url: string,
  { method, path }: { readonly method: string; readonly path: string },
  parts: DriveParts,
): Promise<DriveAnswer> {
  const { body, headers = {}, authorization = basicAuth } = parts;
  const filled = path.replaceAll(/\{(\w+)\}/gu, (_, name: string) => encodeURIComponent(parts.path?.[name] ?? ""));
  const query = new URLSearchParams(parts.query).toString();
  const address = `${url}${filled}${query === "" ? "" : `?${query}`}`;
  if (headers["host"] !== undefined) return received(await fetchAtHost(address, headers));
  const response = await fetch(address, {
    method: method.toUpperCase(),
    redirect: "manual",
    headers: {
      ...(authorization !== null && { authorization }),
      ...(body !== undefined && { "content-type": body.type }),
      ...headers,
    },
    ...(body !== undefined && { body: bytesOf(body) }),
  });
  return received(response);
}

async function received(response: Response): Promise<DriveAnswer> {
  const bytes = Buffer.from(await response.arrayBuffer());
  const type = response.headers.get("content-type")?.split(";")[0]?.trim();
  return { status: response.status, type, headers: response.headers, bytes };
}
