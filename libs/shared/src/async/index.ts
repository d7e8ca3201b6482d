export { type Awaitable, after, orElse } from "./awaitable.ts";
