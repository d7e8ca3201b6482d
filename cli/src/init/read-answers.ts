import { readFileSync } from "node:fs";
import type { ServerAnswers, SiteAnswers } from "./answers.ts";
import type { Ask } from "./ask.ts";
import type { InitFlags } from "./flags.ts";
import { InitProblem } from "./init-problem.ts";
import { readBackend } from "./read-backend.ts";
import { readMailServers } from "./read-mail-servers.ts";

function firstLine(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, "utf8").split("\n", 1)[0]?.trimEnd() ?? "";
  } catch {
    throw new InitProblem(`${file} cannot be read; check the path and the permissions`);
  }
}

function serverOf(
  flag: string,
  url: string,
  schemes: readonly string[],
  credential: string | undefined,
): ServerAnswers {
  const parsed = URL.parse(url);
  if (parsed === null || !schemes.includes(parsed.protocol) || parsed.host === "")
    throw new InitProblem(`--${flag} ${url} is not a URL of the form ${schemes.join("//… or ")}//HOST:PORT`);
  if (parsed.password !== "") throw new InitProblem(`--${flag} contains a password: use --${flag}-password-file`);
  return { url, credential };
}

/** Whether the services run in one process. */
async function readShape(flags: InitFlags, ask: Ask): Promise<boolean> {
  const question = "Services in one process without NATS, or five with it (one, five)";
  const shape = flags.shape ?? (await ask({ text: question, fallback: "five" }));
  if (shape !== "one" && shape !== "five") throw new InitProblem(`--shape ${shape} is neither one nor five`);
  return shape === "one";
}

async function readPages(flags: InitFlags, ask: Ask): Promise<string | undefined> {
  const question = "Public https URL of the sign-in pages (empty: no pages)";
  const answer = flags.pages ?? (await ask({ text: question, fallback: "" })) ?? "";
  if (answer === "") return undefined;
  const url = URL.parse(answer);
  if (url === null || url.protocol !== "https:" || !["", "/"].includes(url.pathname) || url.search !== "")
    throw new InitProblem(`--pages ${answer} is not an https URL without a path, such as https://login.example.org`);
  return url.origin;
}

async function readBackendPassword(flags: InitFlags, backend: SiteAnswers["backend"], ask: Ask): Promise<string> {
  if (backend.kind === "sqlite" || (backend.kind === "ldap" && backend.bindDn === "")) return "";
  const password =
    firstLine(flags["backend-password-file"]) ??
    (await ask({ text: "Password for it (not shown)", isSecret: true })) ??
    "";
  if (password === "") throw new InitProblem("--backend-password-file is missing or empty");
  return password;
}

/** Takes the answers from the options, and asks for the others on the terminal. @throws InitProblem */
export async function readAnswers(flags: InitFlags, ask: Ask): Promise<SiteAnswers> {
  const mailServers = await readMailServers(flags, ask);
  const backend = await readBackend(flags, ask);
  const backendPassword = await readBackendPassword(flags, backend, ask);
  const redis = flags.redis ?? (await ask({ text: "Redis", fallback: "redis://127.0.0.1:6379" })) ?? "";
  const pagesUrl = await readPages(flags, ask);
  if (pagesUrl !== undefined && backend.kind === "sql" && backend.uniqueId === "")
    throw new InitProblem(
      "--unique-id is missing: set it to the column of --query that identifies a user after a rename",
    );
  const isOneProcess = await readShape(flags, ask);
  const ownNats = flags.nats === undefined && !isOneProcess;
  const nats = ownNats ? "nats://127.0.0.1:4222" : flags.nats;
  return {
    mailServers,
    backend,
    backendPassword,
    redis: serverOf("redis", redis, ["redis:", "rediss:"], firstLine(flags["redis-password-file"])),
    isOneProcess,
    nats:
      nats === undefined ? undefined : serverOf("nats", nats, ["nats:", "tls:"], firstLine(flags["nats-token-file"])),
    ownNats,
    pagesUrl,
    proxies: flags.proxy ?? ["127.0.0.1", "::1"],
  };
}
