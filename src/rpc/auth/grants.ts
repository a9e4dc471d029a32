import type { Caller } from '#rpc/dispatch/dispatcher.ts'

const EVERYTHING = '*:*'
const NAMESPACE_END = /[_.]/

/** Everything is allowed: authentication is off. */
export const UNRESTRICTED_CALLER: Caller = { mayCall: () => true }

/** A caller without a valid token may call only methods that need none. */
export function createAnonymousCaller(
  noAuthMethods: ReadonlySet<string>,
  noteRefusal?: Caller['noteRefusal'],
): Caller {
  return {
    mayCall: (method) => noAuthMethods.has(method),
    isAnonymous: true,
    ...(noteRefusal && { noteRefusal }),
  }
}

/**
 * Grants are compared letter by letter: `*` stands for everything only as a whole part, so `eth:get*` or
 * `*:version` grants nothing. An alias of a method needs grants of its own.
 */
export function createGrantedCaller(
  grants: readonly string[],
  noAuthMethods: ReadonlySet<string>,
  noteRefusal?: Caller['noteRefusal'],
  { user, account }: Pick<Caller, 'user' | 'account'> = {},
): Caller {
  const held = new Set(grants)
  if (held.has(EVERYTHING)) return { ...UNRESTRICTED_CALLER, user, account }
  return {
    user,
    account,
    mayCall(method) {
      const [inNamespace, exact] = grantsOf(method)
      return held.has(exact) || held.has(inNamespace) || noAuthMethods.has(method)
    },
    ...(noteRefusal && { noteRefusal }),
  }
}

/** What allows `eth_getBalance` beside `*:*`: `eth:*` and `eth:getBalance`. */
export function grantsOf(method: string): [inNamespace: string, exact: string] {
  // `rpc.discover` is in the namespace rpc as well.
  const end = method.search(NAMESPACE_END)
  if (end === -1) return [`${method}:*`, `${method}:`]
  const namespace = method.slice(0, end)
  return [`${namespace}:*`, `${namespace}:${method.slice(end + 1)}`]
}
