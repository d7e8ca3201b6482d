// Argon2id with the parameters of the bench's backend, one at a time per core and nothing else. Controlled by messages of the parent
// process.
import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import { hashRaw } from "@node-rs/argon2";
import { repeatOnMessage } from "./repeat.ts";

const salt = randomBytes(16);
const options = { memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32, salt };

repeatOnMessage(async (iteration) => void (await hashRaw(`password ${iteration}`, options)), availableParallelism());
