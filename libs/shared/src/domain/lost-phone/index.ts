export { createLostPhoneCodes, type LostPhoneCodes } from "./lost-phone-codes-redis.ts";
