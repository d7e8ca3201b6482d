// Search and bind with ldapts alone, 64 in parallel. Usage: ldap-raw.ts URI BIND_DN BIND_PASSWORD BASE_DN; controlled by the parent process
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

/** A bind ends all other operations of its connection, so each connection serves one caller at a time. */
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

repeatOnMessage(async (iteration) => {
  const uid = ldapUid(iteration % ldapUserCount);
  const searcher = searchers[iteration % searchConnections];
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
