import type { Plants } from './plant.ts'

const DRIVER = 'src/consensus/driver.ts'
const DRIVER_TEST = 'src/consensus/driver.test.ts'
const HOSTILE_TEST = 'src/consensus/hostile-order.test.ts'

export const DRIVER_PLANTS: Plants = {
  'driver-gossip-without-end': {
    mistake: 'every copy of a message is relayed again',
    file: DRIVER,
    from: 'if (!this.#gossiped.add(messageIdentity(message))) return',
    to: 'this.#gossiped.add(messageIdentity(message))',
    caughtBy: DRIVER_TEST,
  },
  'driver-gossip-to-author': {
    mistake: 'a message is relayed to the validator that signed it',
    file: DRIVER,
    from: 'each !== address && each !== from && each !== author)',
    to: 'each !== address && each !== from)',
    caughtBy: DRIVER_TEST,
  },
  'driver-gossip-back': {
    mistake: 'a message is sent back to the peer that delivered it',
    file: DRIVER,
    from: 'each !== address && each !== from && each !== author)',
    to: 'each !== address && each !== author)',
    caughtBy: DRIVER_TEST,
  },
  'driver-repeats-read': {
    mistake: 'every copy of a message is decoded, which costs a key recovery each',
    file: DRIVER,
    from: 'if (!isNew) {',
    to: 'if (!isNew && data.length === 0) {',
    caughtBy: DRIVER_TEST,
  },
  'driver-early-ignored': {
    mistake: 'a message that came too early is ignored when its author repeats it',
    file: DRIVER,
    from: 'facts === undefined || facts.height >= context.height',
    to: 'facts === undefined && context.height < 0',
    caughtBy: HOSTILE_TEST,
  },
  'driver-awaited-kept-back': {
    mistake: 'messages of another author keep back the proposal of the round',
    file: DRIVER,
    from: "kind !== 'proposal' || this.state()?.round !== round",
    to: "kind !== 'proposal' || this.state()?.round === round",
    caughtBy: HOSTILE_TEST,
  },
  'relay-evidence-of-strangers': {
    mistake: 'a relay remembers authors that are not validators',
    file: 'src/consensus/relay.ts',
    from: '!this.#validators.has(peer) || !this.#validators.has(author)',
    to: '!this.#validators.has(peer)',
    caughtBy: 'src/consensus/relay.test.ts',
  },
  'relay-never-sent': {
    mistake: 'a relay that waited for a peer without the message is not sent when its time is up',
    file: 'src/consensus/relay.ts',
    from: 'this.#sendLate(peer, message, nowMs)',
    to: 'nowMs.toFixed()',
    caughtBy: 'src/consensus/relay.test.ts',
  },
  'relay-late-proposal-waits': {
    mistake: 'a late proposal waits, and the waits of many validators on its way add up',
    file: 'src/consensus/relay.ts',
    from: ' && !isLate',
    to: '',
    caughtBy: 'src/consensus/relay.test.ts',
  },
  'relay-knows-no-round': {
    mistake: 'the driver does not pass the beginning of a round to the relay',
    file: DRIVER,
    from: "if (timer === 'round') this.#relay.roundBegan",
    to: "if (timer !== 'round') this.#relay.roundBegan",
    caughtBy: 'src/consensus/hostile-order.test.ts',
  },
  'relay-round-change-once': {
    mistake:
      'a round change that its author repeats is not relayed again, and validators behind a link that was down never get it',
    file: 'src/consensus/relay.ts',
    from: 'this.#repeat(peer, facts)',
    to: 'facts.round.toFixed()',
    caughtBy: 'src/consensus/relay.test.ts',
  },
  'relay-never-answered': {
    mistake: 'a peer that relays an author to this node never learns that this node hears the author',
    file: 'src/consensus/relay.ts',
    from: 'this.#answer(peer, message, path)',
    to: 'message.round.toFixed()',
    caughtBy: 'src/consensus/relay.test.ts',
  },
  'bft-checksum-order-ignored': {
    mistake: 'with --bft-proposer-order=CHECKSUM validators still take turns by their raw addresses',
    file: 'src/consensus/bft/proposer.ts',
    from: 'const sorted = inChecksumOrder(validators)',
    to: 'const sorted = validators',
    caughtBy: 'src/consensus/bft/proposer.test.ts',
  },
  'bft-orders-look-alike': {
    mistake: "a migration does not notice GoQuorum's different proposer order",
    file: 'src/types/block/proposer-order.ts',
    from: 'return byBytes.some(',
    to: 'return byBytes.length < 0 && byBytes.some(',
    caughtBy: 'src/types/block/proposer-order.test.ts',
  },
}
