import { createRequire } from "node:module";
import type * as Wasmoon from "wasmoon";

type Native = (...args: (number | bigint)[]) => number;
type NativeCallback = (...args: number[]) => number | undefined;

/** The functions of Lua's C interface that we call; pointers and states are numbers (Lua 5.4 manual §4.6). */
const names = [
  "lua_newstate",
  "lua_newthread",
  "lua_settop",
  "lua_gettop",
  "lua_checkstack",
  "lua_pushnil",
  "lua_pushboolean",
  "lua_pushnumber",
  "lua_pushinteger",
  "lua_pushlstring",
  "lua_pushcclosure",
  "lua_rotate",
  "lua_gettable",
  "lua_createtable",
  "lua_rawset",
  "lua_rawget",
  "lua_rawseti",
  "lua_rawgeti",
  "lua_next",
  "lua_type",
  "lua_tonumberx",
  "lua_toboolean",
  "lua_tolstring",
  "lua_getglobal",
  "lua_sethook",
  "lua_resume",
  "lua_pcallk",
  "lua_error",
  "luaopen_base",
  "luaopen_string",
  "luaopen_table",
  "luaopen_math",
  "luaopen_utf8",
  "luaopen_coroutine",
  "luaL_loadbufferx",
  "luaL_where",
  "lua_concat",
  "luaL_ref",
  "luaL_unref",
] as const;
type LuaFunctions = Readonly<Record<(typeof names)[number], Native>>;

export const luaStatus = Object.freeze({ ok: 0, yield: 1, memory: 4 });
export const luaType = Object.freeze({ nil: 0, boolean: 1, number: 3, string: 4, table: 5 });
export const luaRegistryIndex = -1_001_000;
export const luaMaskCount = 8;

/** Lua 5.4 in WebAssembly, with the memory that it shares with JavaScript. */
export interface LuaApi extends LuaFunctions {
  malloc(bytes: number): number;
  realloc(pointer: number, bytes: number): number;
  free(pointer: number): void;
  /** Returns a pointer to a function that Lua can call; `signature` is Emscripten's, such as `iii`. */
  addFunction(callback: NativeCallback, signature: string): number;
  /** The current memory; a new object after it has grown. */
  bytes(): Buffer;
}

function isNative(value: unknown): value is Native {
  return typeof value === "function";
}

function nativeOf(module: object, name: string): Native {
  const found: unknown = Reflect.get(module, name);
  if (!isNative(found)) throw new TypeError(`the Lua module has no ${name}`);
  return found;
}

export async function loadLua(): Promise<LuaApi> {
  // The package is CommonJS, and its names cannot be imported.
  const { LuaWasm }: typeof Wasmoon = createRequire(import.meta.url)("wasmoon");
  const { module } = await LuaWasm.initialize();
  const functions = Object.fromEntries(names.map((name) => [name, nativeOf(module, `_${name}`)]));
  if (!hasAll(functions)) throw new TypeError("the Lua module is not complete");
  let heap: Uint8Array | undefined;
  let view: Buffer = Buffer.alloc(0);
  return {
    ...functions,
    malloc: nativeOf(module, "_malloc"),
    realloc: nativeOf(module, "_realloc"),
    free: nativeOf(module, "_free"),
    addFunction: (callback, signature) => module.addFunction(callback, signature),
    bytes: () => {
      const current: unknown = Reflect.get(module, "HEAPU8");
      if (!(current instanceof Uint8Array)) throw new TypeError("the Lua module has no memory");
      if (current !== heap) {
        heap = current;
        view = Buffer.from(current.buffer, current.byteOffset, current.byteLength);
      }
      return view;
    },
  };
}

function hasAll(functions: Record<string, Native>): functions is LuaFunctions {
  return names.every((name) => Object.hasOwn(functions, name));
}
