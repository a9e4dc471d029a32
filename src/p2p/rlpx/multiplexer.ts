import { assert } from '#types/assert.ts'
import { type Capability, FIRST_PROTOCOL_CODE } from './wire-messages.ts'

/** What the multiplexer has to know of a protocol. */
export interface CodeSpace extends Capability {
  /** How many codes the protocol reserves, used or not. */
  readonly messageCount: number
}

export interface SharedProtocol<Protocol extends CodeSpace> {
  readonly protocol: Protocol
  /** What is added to a code of the protocol on the wire. */
  readonly offset: number
}

/**
 * The protocols that both sides speak, each in the highest version that both have. Their codes follow each other in
 * the order of names, upper case first; both sides compute the same.
 */
export function sharedProtocols<Protocol extends CodeSpace>(
  ours: readonly Protocol[],
  theirs: readonly Capability[],
): readonly SharedProtocol<Protocol>[] {
  const best = new Map<string, Protocol>()
  for (const protocol of ours) {
    const { name, version } = protocol
    if (!theirs.some((their) => their.name === name && their.version === version)) continue
    if ((best.get(name)?.version ?? -1) < version) best.set(name, protocol)
  }
  let offset = FIRST_PROTOCOL_CODE
  return [...best.values()]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((protocol) => {
      const shared = { protocol, offset }
      offset += protocol.messageCount
      assert(offset <= 0x80, 'All protocols together have fewer than 112 codes.')
      return shared
    })
}

/** Whose message a code of the wire is, and which of its own; undefined if nobody's. */
export function protocolOfCode<Protocol extends CodeSpace>(
  shared: readonly SharedProtocol<Protocol>[],
  wireCode: number,
): { readonly protocol: Protocol; readonly code: number } | undefined {
  for (const { protocol, offset } of shared) {
    const code = wireCode - offset
    if (code >= 0 && code < protocol.messageCount) return { protocol, code }
  }
  return undefined
}
