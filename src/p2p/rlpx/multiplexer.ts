import { assert } from '#types/assert.ts'
import { type Capability, FIRST_PROTOCOL_CODE } from './wire-messages.ts'

/** The part of a protocol that the multiplexer needs. */
export interface CodeSpace extends Capability {
  /** The number of reserved codes, used or not. */
  readonly messageCount: number
}

export interface SharedProtocol<Protocol extends CodeSpace> {
  readonly protocol: Protocol
  /** Added to the protocol's codes on the wire. */
  readonly offset: number
}

/**
 * The protocols that both sides speak, each in the highest common version. Codes are assigned in order of name, upper case
 * first; both sides compute the same.
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

/** The protocol and its own code for a wire code; undefined if no protocol has it. */
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
