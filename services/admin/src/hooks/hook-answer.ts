import { isLuaObject, type LuaValue } from "@postern/shared/domain/scripts";
import { AppError } from "@postern/shared/platform/errors";
import { Type } from "typebox";
import { Compile } from "typebox/compile";

/** The response of a hook to its caller. */
export interface HookAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const token = "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,256}$";
const line = "^[\\u0020-\\u007e]*$";

/** The table that `response` returns. */
const Response = Compile(
  Type.Object(
    {
      status: Type.Optional(Type.Integer({ minimum: 200, maximum: 599 })),
      content_type: Type.Optional(Type.String({ pattern: line })),
      headers: Type.Optional(
        Type.Record(Type.String({ pattern: token }), Type.String({ pattern: line }), { additionalProperties: false }),
      ),
      body: Type.Optional(Type.Unknown()),
    },
    { additionalProperties: false },
  ),
);

/** Set by the servers between the script and its caller. */
const ownHeaders: ReadonlySet<string> = new Set(["content-length", "transfer-encoding", "connection", "date"]);

function bodyOf(value: unknown): Buffer {
  if (typeof value === "string") return Buffer.from(value);
  if (value instanceof Uint8Array) return Buffer.from(value);
  return value === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(value));
}

/** A table becomes JSON, a text the body, nil 204. Throws `SCRIPT_FAILED` for an invalid response. */
export function hookAnswer(value: LuaValue, script: string, contentType: string): HookAnswer {
  if (value === undefined) return { status: 204, headers: {}, body: Buffer.alloc(0) };
  const marked = isLuaObject(value) ? value.$response : undefined;
  if (marked === undefined) return { status: 200, headers: { "content-type": contentType }, body: bodyOf(value) };
  const response: unknown = marked;
  if (!Response.Check(response)) {
    const [first] = Response.Errors(response);
    throw new AppError("SCRIPT_FAILED", { detail: `${script}: ${first?.instancePath ?? ""} ${first?.message ?? ""}` });
  }
  const { status = 200, headers = {}, content_type = contentType, body } = response;
  const kept = Object.entries(headers).filter(([name]) => !ownHeaders.has(name.toLowerCase()));
  return { status, headers: { "content-type": content_type, ...Object.fromEntries(kept) }, body: bodyOf(body) };
}
