import { constants } from "node:fs";
import { copyFile, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";

const demoFile = fileURLToPath(new URL("../../config/demo-directory.sql", import.meta.url));

/** The accounts of the demo with the same passwords, in the SQL of a SQLite backend. Written before the tests start. */
export const demoSeedFile = fileURLToPath(new URL("../../.run/test/demo-directory.sql", import.meta.url));

/** The database that an engine makes of the seed. */
const demoDatabase = fileURLToPath(new URL("../../.run/test/demo-directory.sqlite", import.meta.url));

/**
 * Argon2id (m=64, t=1, p=1) of <name>-demo-password. The hashes of the demo cost as much as a site's, so tests that sign in thousands of
 * times would spend a large part of their CPU time on them.
 */
const hashes: Readonly<Record<string, string>> = {
  alice: "$argon2id$v=19$m=64,t=1,p=1$K9gGyX8OAK8aH8Myj6djqQ$QOSKaOmJK9DK/U25o9b6ZB+iwQ/4VoI+wA4UoXPXAzc",
  bob: "$argon2id$v=19$m=64,t=1,p=1$gbY32PzSxtpjWeaWMROhFw$0LLEDWm9aa5EGo5JPyyq5Q2LeMsvVY5tFg2BFp1kylU",
  carol: "$argon2id$v=19$m=64,t=1,p=1$TCbZB0wn2J7eWScMCsFLcQ$EQKsoYwVj0uYfobQnX5ft5qvTR+TNIUqg7f07PcuVwY",
  desk: "$argon2id$v=19$m=64,t=1,p=1$Sb5BetdAgKADG2NrRM/Cbw$dgM33tptTpTYh4GhvOLfYmw5kUwo4u+0Lpf2a5lYefI",
  secops: "$argon2id$v=19$m=64,t=1,p=1$Md8kLiXC11uXl0jRjXR3Xw$YmDCg2UeYZuixNAYnexOKmtimohcQtry6bhsFAmAzEE",
  admin: "$argon2id$v=19$m=64,t=1,p=1$jGl25bVBBBW96Qi9Te4V3w$gMb7DdrF3VbFX+dwhYnM8DWOeV3rQSOeZrZEmxxG/zI",
};

const account = /'(\w+)@example\.test',\s+'\$argon2id\$[^']+'/g;

/** @throws if an account of the demo has no hash here */
export async function writeDemoSeed(): Promise<void> {
  const demo = await readFile(demoFile, "utf8");
  const seed = demo.replaceAll(account, (_text, name: string) => {
    const hash = hashes[name];
    if (hash === undefined) throw new Error(`no hash of the password of ${name}`);
    return `'${name}@example.test', '${hash}'`;
  });
  await mkdir(dirname(demoSeedFile), { recursive: true });
  await writeFile(`${demoSeedFile}.new`, seed);
  await rename(`${demoSeedFile}.new`, demoSeedFile);
  await writeDemoDatabase(seed);
}

async function writeDemoDatabase(seed: string): Promise<void> {
  const path = `${demoDatabase}.new`;
  await rm(path, { force: true });
  const database = new DatabaseSync(path);
  database.exec(seed);
  database.exec("PRAGMA user_version = 1; PRAGMA journal_mode = WAL");
  database.close();
  await rename(path, demoDatabase);
}

/** Lets the engines find the demo's users where they would make them of the seed, which takes a tenth of the CPU time of a start. */
export async function copyDemoDatabase(config: unknown): Promise<void> {
  const { file, seed_file: seedFile } = Object(Object(Object(Object(config).auth).backends).sql?.default);
  if (seedFile !== demoSeedFile || typeof file !== "string") return;
  await copyFile(demoDatabase, file, constants.COPYFILE_EXCL);
}
