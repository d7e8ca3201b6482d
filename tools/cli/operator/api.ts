/** What the interface answered, or why it did not. */
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
  /** The value of `Authorization`; absent: none is sent. */
  readonly authorization: string | undefined;
  readonly timeoutMs: number;
}

export interface Api {
  /** The body as it is: undefined for an empty one. @throws ApiError for every status that is no success. */
  readonly ask: (method: string, path: string, body?: object) => Promise<unknown>;
}

const reasons: Readonly<Record<number, string>> = {
  401: "the credentials are missing or wrong",
  403: "these credentials may not do that",
  404: "there is no such thing, or the endpoint is switched off",
  429: "this address has failed too often; wait and try again",
  503: "the token cannot be judged now; try again",
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text === "" ? undefined : text;
  }
}

function messageOf(status: number, body: unknown): string {
  const told = typeof body === "object" && body !== null && "error" in body ? String(body.error) : undefined;
  return `${status}: ${told ?? reasons[status] ?? "the interface refused"}`;
}

/** The management API over HTTP. */
export function createApi({ url, authorization, timeoutMs }: ApiOptions): Api {
  return {
    ask: async (method, path, body) => {
      const response = await fetch(`${url}${path}`, {
        method,
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
      const answer = parsed(await response.text());
      if (!response.ok) throw new ApiError(response.status, messageOf(response.status, answer));
      return answer;
    },
  };
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.cause instanceof Error ? cause.cause.message : cause.message;
}
