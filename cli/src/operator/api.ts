import { fillPath, type OperationId, operation, type PathParameters } from "@postern/shared/contracts";

/** An error of the API, or the reason why it did not answer. */
export class ApiError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "ApiError";
    this.status = status;
  }
}

export interface ApiOptions {
  readonly url: string;
  /** The value of `Authorization`. If absent, the header is not sent. */
  readonly authorization: string | undefined;
  readonly timeoutMs: number;
}

interface AskOptions {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** What an operation is called with: the parameters of its path, if it has any, and query and body. */
type AskArguments<Id extends OperationId> =
  unknown extends PathParameters<Id>
    ? readonly [options?: AskOptions]
    : readonly [options: AskOptions & { readonly path: PathParameters<Id> }];

export interface Api {
  /** Returns the body, undefined if it is empty. @throws ApiError for every status except success. */
  readonly ask: <Id extends OperationId>(id: Id, ...rest: AskArguments<Id>) => Promise<unknown>;
}

const reasons: Readonly<Record<number, string>> = {
  401: "missing or wrong credentials: run it as a user who can read the site's configuration, or use --user and --password-file",
  403: "these credentials lack the permission for this command",
  404: "not found, or the endpoint is disabled",
  429: "too many failures from this address; try again later",
  503: "the token cannot be verified at the moment; try again later",
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text === "" ? undefined : text;
  }
}

function messageOf(status: number, body: unknown): string {
  const error = typeof body === "object" && body !== null && "error" in body ? String(body.error) : undefined;
  return `${status}: ${error ?? reasons[status] ?? "the request was rejected"}`;
}

/** Every operation has these options. */
function partsOf(options: AskOptions & { readonly path?: unknown } = {}): AskOptions & { readonly path?: object } {
  const { path, ...rest } = options;
  return { ...rest, path: Object(path) };
}

/** The whole answer: a server may stop answering in the middle of the body too. */
async function answered(url: string, init: RequestInit) {
  const response = await fetch(url, init);
  return { response, text: await response.text() };
}

/** The management API over HTTP. */
export function createApi({ url, authorization, timeoutMs }: ApiOptions): Api {
  return {
    ask: async (id, ...[options]) => {
      const { path: parameters = {}, query = {}, body } = partsOf(options);
      const { method, path } = operation(id);
      const search = new URLSearchParams(query).toString();
      const place = `${fillPath(path, parameters)}${search === "" ? "" : `?${search}`}`;
      const { response, text } = await answered(`${url}${place}`, {
        method: method.toUpperCase(),
        redirect: "error",
        signal: AbortSignal.timeout(timeoutMs),
        headers: {
          accept: "application/json",
          ...(authorization !== undefined && { authorization }),
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }).catch((cause: unknown) => {
        throw new ApiError(0, `${url} cannot be reached: ${reasonOf(cause)}`);
      });
      const answer = parsed(text);
      if (!response.ok) throw new ApiError(response.status, messageOf(response.status, answer));
      return answer;
    },
  };
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.cause instanceof Error ? cause.cause.message : cause.message;
}
