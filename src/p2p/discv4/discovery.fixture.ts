/** Discovery nodes on a network of their own, with virtual time. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { EVERYONE_MAY, type MayConnect } from '#p2p/peer-rules.ts'
import { testNode } from '#p2p/rlpx/handshake.fixture.ts'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createLog } from '#platform/log/log.ts'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { formatDigits } from '#types/hex.ts'
import { Discovery } from './discovery.ts'
import { encodeRecord, type ForkId } from './node-record.ts'

export const PORT = 30303
export const OURS: ForkId = { hash: Uint8Array.of(1, 1, 1, 1), next: 0n }
export const OTHER: ForkId = { hash: Uint8Array.of(2, 2, 2, 2), next: 0n }
const log = createLog({ level: 'OFF' })

/** Packets between test nodes: each address has a receiver, and delivery takes an event loop turn. */
export class Wire {
  readonly clock = createFakeClock()
  readonly #receivers = new Map<string, (bytes: Uint8Array, ip: string, udpPort: number) => unknown>()
  #underWay = 0

  attach(ip: string, receive: (bytes: Uint8Array, ip: string, udpPort: number) => unknown) {
    this.#receivers.set(ip, receive)
    return {
      udpPort: PORT,
      close: async () => {},
      send: (bytes: Uint8Array, to: string) => {
        this.#underWay += 1
        void nextTurn().then(async () => {
          await this.#receivers.get(to)?.(bytes, ip, PORT)
          this.#underWay -= 1
        })
      },
    }
  }

  /** Waits until no packet is in transit. */
  async settle(): Promise<void> {
    for (let idle = 0; idle < 5; ) {
      await nextTurn()
      idle = this.#underWay === 0 ? idle + 1 : 0
    }
  }

  /** Also lets internal waits end. */
  async run(work: Promise<unknown>): Promise<void> {
    let isDone = false
    void work.finally(() => {
      isDone = true
    })
    for (let step = 0; step < 200 && !isDone; step++) {
      await this.settle()
      if (!isDone) this.clock.advance(100)
    }
    await work
  }
}

export async function discoveryNode(
  wire: Wire,
  seed: number,
  forkId = OURS,
  mayConnect: MayConnect = EVERYONE_MAY,
  namesEndpoint = true,
) {
  const random = createSeededRandom(seed)
  const { parts, publicKey } = await testNode(random)
  const id = formatDigits(publicKey)
  const ip = `10.0.0.${seed}`
  const place = { id, ip, udpPort: PORT, tcpPort: PORT }
  const port = namesEndpoint ? PORT : null
  const own = namesEndpoint ? ip : null
  const endpoints = { ip: own, tcpPort: port, udpPort: port, ip6: null, tcp6Port: null, udp6Port: null }
  const encoded = await encodeRecord(parts.nodeKey, parts.keccak, { sequence: 1n, forkId, ...endpoints })
  const discovery = new Discovery({
    ...parts,
    id,
    random,
    clock: wire.clock,
    log,
    mayConnect,
    self: () => place,
    record: () => ({ encoded, sequence: 1n }),
    acceptsFork: ({ hash }) => hash[0] === forkId.hash[0],
  })
  const attach = (at: string) =>
    discovery.attach(wire.attach(at, (bytes, from, port) => discovery.receive(bytes, from, port)))
  attach(ip)
  const move = (to: string): void => {
    wire.attach(ip, () => undefined)
    attach(to)
  }
  return { discovery, place, id, move }
}
