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

/** The server cannot be reached, or an answer ended too early. */
export class UnreachableError extends ApiError {
  constructor(message: string) {
    super(0, message);
  }
}

export interface ApiOptions {
  readonly url: string;
  /** The value of `Authorization`. If absent, the header is not sent. */
  readonly authorization: string | undefined;
  readonly timeoutMs: number;
}

interface AskOptions {
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly body?: object;
  /** Gives up early. */
  readonly signal?: AbortSignal;
}

interface StreamOptions extends Pick<AskOptions, "query"> {
  /** Ends the stream, which then fails. */
  readonly signal: AbortSignal;
}

/** What an operation is called with: the parameters of its path, if it has any, and query and body. */
type AskArguments<Id extends OperationId> =
  unknown extends PathParameters<Id>
    ? readonly [options?: AskOptions]
    : readonly [options: AskOptions & { readonly path: PathParameters<Id> }];

export interface Api {
  /** Returns the body, undefined if it is empty. @throws ApiError for every status except success. */
  readonly ask: <Id extends OperationId>(id: Id, ...rest: AskArguments<Id>) => Promise<unknown>;
  /** Opens an operation without parameters in its path, whose answer is long or has no end. @throws ApiError as `ask` */
  readonly stream: (id: OperationId, options: StreamOptions) => Promise<AsyncIterable<Uint8Array>>;
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

function requestOf(
  { url, authorization }: ApiOptions,
  id: OperationId,
  { path: parameters = {}, query = {}, body }: ReturnType<typeof partsOf>,
  accept: string,
): readonly [url: string, init: RequestInit] {
  const { method, path } = operation(id);
  const search = new URLSearchParams(query).toString();
  const place = `${fillPath(path, parameters)}${search === "" ? "" : `?${search}`}`;
  const headers = {
    accept,
    ...(authorization !== undefined && { authorization }),
    ...(body !== undefined && { "content-type": "application/json" }),
  };
  const init = { method: method.toUpperCase(), redirect: "error", headers } as const;
  return [`${url}${place}`, body === undefined ? init : { ...init, body: JSON.stringify(body) }];
}

/** The parts of a body, unless nothing arrives for some time while somebody waits for it. */
async function* watched(
  body: AsyncIterable<Uint8Array>,
  aborter: AbortController,
  longestMs: number,
): AsyncGenerator<Uint8Array> {
  const fail = (): void => aborter.abort(new Error("nothing arrives"));
  let timer = setTimeout(fail, longestMs);
  try {
    for await (const part of body) {
      clearTimeout(timer);
      yield part;
      timer = setTimeout(fail, longestMs);
    }
  } catch (cause) {
    throw new UnreachableError(`the answer ended: ${reasonOf(cause)}`);
  } finally {
    clearTimeout(timer);
    aborter.abort();
  }
}

/** Streams send something every five seconds. */
const silentStreamMs = 15_000;

/** The management API over HTTP. */
export function createApi(options: ApiOptions): Api {
  const { url, timeoutMs } = options;
  const unreachable = (cause: unknown): never => {
    throw new UnreachableError(`${url} cannot be reached: ${reasonOf(cause)}`);
  };
  return {
    ask: async (id, ...[parts]) => {
      const [place, init] = requestOf(options, id, partsOf(parts), "application/json");
      const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(parts?.signal ? [parts.signal] : [])]);
      const { response, text } = await answered(place, { ...init, signal }).catch(unreachable);
      const answer = parsed(text);
      if (!response.ok) throw new ApiError(response.status, messageOf(response.status, answer));
      return answer;
    },
    stream: async (id, { query, signal }) => {
      const [place, init] = requestOf(options, id, partsOf({ query }), "*/*");
      const aborter = new AbortController();
      const timer = setTimeout(() => aborter.abort(new Error("no answer")), timeoutMs);
      try {
        const begun = fetch(place, { ...init, signal: AbortSignal.any([signal, aborter.signal]) });
        const response = await begun.catch(unreachable);
        const { ok, status, body } = response;
        if (!ok || body === null) throw new ApiError(status, messageOf(status, parsed(await response.text())));
        return watched(body, aborter, Math.max(timeoutMs, silentStreamMs));
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.cause instanceof Error ? cause.cause.message : cause.message;
}
