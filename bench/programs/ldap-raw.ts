// Search and bind with bare ldapts, 64 deep. Usage: ldap-raw.ts URI BIND_DN BIND_PASSWORD BASE_DN; asked by its parent
import { Client } from "ldapts";
import { ldapUid, ldapUserCount, userPassword } from "../stack/users.ts";
import { repeatOnMessage } from "./repeat.ts";

const depth = 64;
const searchConnections = 4;
const bindConnections = 32;

const [, , url = "", bindDn = "", bindPassword = "", baseDn = ""] = process.argv;
const searchers = await Promise.all(
  Array.from({ length: searchConnections }, async () => {
    const client = new Client({ url });
    await client.bind(bindDn, bindPassword);
    return client;
  }),
);

/** A bind ends what else its connection does, so each of them serves one caller at a time. */
const idle = Array.from({ length: bindConnections }, () => new Client({ url }));
const waiting: ((client: Client) => void)[] = [];

function takeBinder(): Client | Promise<Client> {
  return idle.pop() ?? new Promise((resolve) => waiting.push(resolve));
}

function giveBack(client: Client): void {
  const next = waiting.shift();
  if (next === undefined) idle.push(client);
  else next(client);
}

repeatOnMessage(async (nth) => {
  const uid = ldapUid(nth % ldapUserCount);
  const searcher = searchers[nth % searchConnections];
  const found = await searcher?.search(baseDn, {
    scope: "sub",
    filter: `(&(objectClass=inetOrgPerson)(mail=${uid}@example.test))`,
    attributes: ["displayName", "mail", "uid"],
    sizeLimit: 2,
  });
  const binder = await takeBinder();
  try {
    await binder.bind(found?.searchEntries[0]?.dn ?? "", userPassword);
  } finally {
    giveBack(binder);
  }
}, depth);
