import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

const demoFile = fileURLToPath(new URL("../../config/demo-directory.sql", import.meta.url));

/** The accounts of the demo with the same passwords, in the SQL of a SQLite backend. Written before the tests start. */
export const demoSeedFile = fileURLToPath(new URL("../../.run/test/demo-directory.sql", import.meta.url));

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
}
