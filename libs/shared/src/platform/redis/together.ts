import type { RedisClient } from "./client.ts";

/** Runs all commands or none: a crash leaves no key without a TTL. */
export async function together(commands: Pick<ReturnType<RedisClient["multi"]>, "exec">): Promise<void> {
  const written = await commands.exec();
  if (written === null || written.some(([error]) => error !== null)) throw new Error("the keys could not be written");
}
