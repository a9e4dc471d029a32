import type { Caller } from '#jsonrpc/dispatcher.ts'

const EVERYTHING = '*:*'
const NAMESPACE_END = /[_.]/

/** The caller if authentication is off. */
export const UNRESTRICTED_CALLER: Caller = { mayCall: () => true }

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

/** Grants are compared literally: `eth:get*` or `*:version` grants nothing. An alias needs its own grants. */
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

/** Besides `*:*`, `eth:*` and `eth:getBalance` grant `eth_getBalance`. */
export function grantsOf(method: string): [inNamespace: string, exact: string] {
  // `rpc.discover` is in the namespace rpc, too.
  const end = method.search(NAMESPACE_END)
  if (end === -1) return [`${method}:*`, `${method}:`]
  const namespace = method.slice(0, end)
  return [`${namespace}:*`, `${namespace}:${method.slice(end + 1)}`]
}
