import type Provider from "oidc-provider";
import type { KoaContextWithOIDC } from "oidc-provider";
import type { Outcome } from "../storage/outcomes-redis.ts";
import type { ProviderHooks } from "./hooks.ts";
import { interactionOf } from "./interaction-url.ts";

/** What a browser needs of a response; its session's identifier changes with each. */
const keptHeaders = ["location", "content-type", "content-security-policy", "cache-control", "set-cookie"] as const;

function outcomeOf(ctx: KoaContextWithOIDC): Outcome | undefined {
  const body: unknown = ctx.body;
  if ((ctx.status !== 302 && ctx.status !== 200) || typeof body !== "string") return undefined;
  const headers = keptHeaders.flatMap((name) => {
    const value = ctx.response.headers[name];
    return value === undefined ? [] : [[name, typeof value === "number" ? String(value) : value] as const];
  });
  return { status: ctx.status, headers: Object.fromEntries(headers), body };
}

function repeat(ctx: KoaContextWithOIDC, { status, headers, body }: Outcome): void {
  ctx.status = status;
  ctx.body = body;
  for (const [name, value] of Object.entries(headers)) ctx.set(name, typeof value === "string" ? value : [...value]);
}

/** Resumes an interaction and keeps the outcome. Without it only a repetition fails, so the store must not fail this request. */
async function resumeFirst(
  ctx: KoaContextWithOIDC,
  { outcomes, onOutcomeLost }: ProviderHooks,
  { uid, browser, next }: { readonly uid: string; readonly browser: string; readonly next: () => Promise<unknown> },
): Promise<void> {
  try {
    await next();
  } finally {
    const outcome = outcomeOf(ctx);
    await (outcome === undefined ? outcomes.release(uid) : outcomes.keep(uid, browser, outcome)).catch(onOutcomeLost);
  }
}

/**
 * Answers the second of two requests that resume the same interaction like the first: a user who clicks twice on our
 * form gets one code and one redirect. The provider alone would refuse the second or issue two codes.
 */
export function resumeOnce(provider: Provider, hooks: ProviderHooks): void {
  const { outcomes, browserOf, onOutcomeLost } = hooks;
  provider.use(async (ctx: KoaContextWithOIDC, next) => {
    const uid = interactionOf(ctx.path);
    const browser = uid === undefined ? undefined : browserOf(ctx.get("cookie"));
    if (uid === undefined || browser === undefined) return next();
    const isFirst = await outcomes.claim(uid, browser).catch((error: unknown) => {
      onOutcomeLost(error);
      return undefined;
    });
    if (isFirst === true) return resumeFirst(ctx, hooks, { uid, browser, next });
    const outcome = isFirst === false ? await outcomes.wait(uid, browser).catch(onOutcomeLost) : undefined;
    if (typeof outcome === "object") return repeat(ctx, outcome);
    return next();
  });
}
