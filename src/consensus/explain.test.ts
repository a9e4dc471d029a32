import { match, ok, strictEqual } from 'node:assert'
import { it } from 'node:test'
import { type Address, withChecksum } from '#types/address.ts'
import { type NetworkSettings, TestNetwork } from './bft/core/test-network.fixture.ts'
import { type Evidence, explain } from './explain.ts'

async function evidence(
  settings: Partial<NetworkSettings>,
  ms: number,
  changes: Partial<Evidence> = {},
): Promise<Evidence> {
  const network = new TestNetwork({ protocol: 'qbft', validators: 4, ...settings })
  await network.start()
  await network.advance(ms)
  const snapshot = network.nodes[1]!.core.snapshot()
  ok(snapshot)
  return {
    snapshot,
    connected: new Set(network.validators),
    exchanging: new Set(),
    turnedAway: [],
    clockAheadMs: 0,
    generation: 'current',
    proposerOrder: 'BYTES',
    wallMs: network.now.wallMs,
    lastPersistMs: 2,
    undecodedMessages: 0,
    failure: undefined,
    importProblem: undefined,
    ...changes,
  }
}

const CUT_OFF: Partial<NetworkSettings> = { isDelivered: () => false }

it('a network that works waits for the time of its next block', async () => {
  strictEqual(explain(await evidence({}, 5_000)), 'Block 3 is not due yet.')
})

it('a key that is not in the set is named first', async () => {
  const { snapshot, ...rest } = await evidence({}, 1_000)
  match(explain({ ...rest, snapshot: { ...snapshot, isValidator: false } }), /not among the 4 validators/)
})

it('a chain that was set back behind the votes of this validator is named, with what to do', async () => {
  const { snapshot, ...rest } = await evidence({}, 5_000)
  const signed = { height: snapshot.context.height + 4, round: 0 }
  match(
    explain({ ...rest, snapshot: { ...snapshot, signed } }),
    /voted for block 7 and its chain ends at block 2.*cairn blocks import/,
  )
})

it('blocks of peers that cannot be written are told, also by a node that only follows', async () => {
  const { snapshot, ...rest } = await evidence({}, 1_000, { importProblem: 'The disk is full.' })
  for (const isValidator of [true, false]) {
    match(explain({ ...rest, snapshot: { ...snapshot, isValidator } }), /blocks of its peers.*disk is full/)
  }
})

it('what this node cannot do is told before anything about others', async () => {
  const failure = { what: 'import', height: 1, sentence: 'The disk is full.' } as const
  const now = await evidence(CUT_OFF, 7_000, { failure })
  match(explain(now), /cannot import the block that was decided, and tries again: The disk is full\./)
  match(
    explain({ ...now, failure: { ...failure, height: 9 } }),
    /took part in block 1|waits for the proposal/,
  )
})

it('that this node cannot sign is told until it can: the others may have gone on', async () => {
  const failure = { what: 'sign', height: 1, sentence: 'The signer is away.' } as const
  const now = await evidence(CUT_OFF, 7_000, { failure: { ...failure, height: 9 } })
  match(explain(now), /cannot sign: The signer is away\./)
})

it('votes of its own key that it does not know are told before an old file of votes', async () => {
  const { snapshot, ...rest } = await evidence(CUT_OFF, 1_000)
  const { context, validators } = snapshot
  const author = validators.find(({ isSelf }) => isSelf)!.address
  const refusal = {
    height: context.height,
    round: 0,
    author,
    what: 'prepare',
    sentence: '',
    wallMs: 0,
  } as const
  match(
    explain({ ...rest, snapshot: { ...snapshot, signsFrom: 2, refusals: [refusal] } }),
    /another node has the key/,
  )
})

it('too few peers are counted, and a genesis block that differs is told', async () => {
  const alone = await evidence(CUT_OFF, 7_000, { connected: new Set() })
  match(
    explain(alone),
    /^3 of 4 validators are needed, and this node can reach 1 with itself; silent: (0x[0-9a-f]{40} \(not heard since the start\),? ?){3}; check/,
  )
  const address = alone.snapshot.validators[2]!.address
  for (const [why, remedy] of [
    ['genesis block', /same genesis file\.$/],
    ['network id', /same --network-id, or none\.$/],
    ['forks', /same forks\.$/],
  ] as const) {
    const told = explain({ ...alone, turnedAway: [{ address, why }] })
    match(told, new RegExp(`1 node, ${address} among them, was turned away because of another ${why}: `))
    match(told, remedy)
  }
})

it('a validator that is a peer and speaks the protocol of another consensus is named', async () => {
  const alone = await evidence(CUT_OFF, 7_000, { connected: new Set() })
  const { address } = alone.snapshot.validators[0]!
  match(
    explain({ ...alone, exchanging: new Set([address]) }),
    new RegExp(`${address} is a peer, and speaks no protocol of validators that this node speaks`),
  )
})

it('validators that are heard through others are reached, though they are no peers', async () => {
  const line = await evidence({}, 5_000, { connected: new Set() })
  strictEqual(explain(line), 'Block 3 is not due yet.')
})

it('validators that are connected and silent are named', async () => {
  const found = await evidence(CUT_OFF, 7_000)
  const sentence = explain(found)
  match(sentence, /^3 of 4 validators are needed, and 1 took part in block 1; silent: 0x/)
  match(sentence, /3 of these are connected: ask bft_status of their nodes why they do not vote\.$/)
  ok(sentence.includes(found.snapshot.validators[3]!.address))
})

it('validators that spoke once and are gone are named, and since when they are silent', async () => {
  // Two are there in the first round, then nobody hears them.
  const hears: NetworkSettings['isDelivered'] = ({ signed, kind }, from) =>
    kind === 'prepare' ? signed.payload.round === 0 : kind === 'proposal' || from.address > '0x8'
  const gone = await evidence({ isDelivered: hears }, 9_000)
  const connected = new Set(gone.snapshot.validators.slice(0, 2).map(({ address }) => address))
  const silent = gone.snapshot.validators.filter(({ isSelf, lastHeard }) => !isSelf && lastHeard?.round === 0)
  ok(silent.length > 0)
  const sentence = explain({ ...gone, connected })
  for (const { address } of silent) match(sentence, new RegExp(`${address} \\(last heard \\d+ s ago\\)`))
})

it('clocks are named when the last block lies ahead, or a proposal was refused for its time', async () => {
  match(explain(await evidence({}, 1_000, { wallMs: 1_600_000_000_000 })), /ahead of this machine's clock/)
  const refused = await evidence(
    { blockProblem: () => 'Its timestamp is 5 s ahead of the clock of this node.' },
    3_000,
  )
  match(explain(refused), /was refused for its time, so that its clock or this one is wrong/)
  const { context } = refused.snapshot
  const later = { ...refused.snapshot, context: { ...context, height: context.height + 2 } }
  match(explain({ ...refused, snapshot: later }), /was refused for its time/)
  const ahead = await evidence({}, 5_000, { clockAheadMs: 12_000 })
  match(
    explain({ ...ahead, snapshot: { ...ahead.snapshot, signsFrom: 9 } }),
    /came 12 s after the time that they carry/,
  )
})

it('a refused proposal is told with its reason', async () => {
  const refused = await evidence({ blockProblem: () => 'Its state root is wrong.' }, 3_000)
  match(
    explain(refused),
    /^The proposal of 0x[0-9a-f]{40} for round 0 was refused: Its state root is wrong\.$/,
  )
})

it('proposers that take turns in the order of texts with checksums are told of', async () => {
  const { snapshot, ...rest } = await evidence({}, 3_000)
  // As bytes the first comes before the second, as texts after it: small letters follow capital ones.
  const first = '0xa5cc3c03994db5b0d9a5eedd10cabab0813678ac' as Address
  const [second, third] = [
    '0xcccccccccccccccccccccccccccccccccccccccc' as Address,
    '0x1111111111111111111111111111111111111111' as Address,
  ]
  const validators = [third, first, second]
  const texts = validators.toSorted((a, b) => (withChecksum(a) < withChecksum(b) ? -1 : 1))
  ok(texts.indexOf(second) < texts.indexOf(first))
  const context = { ...snapshot.context, validators, parent: { ...snapshot.context.parent, coinbase: third } }
  const refusal = {
    height: context.height,
    round: 0,
    author: second,
    what: 'proposal',
    sentence: 'It is of another.',
    wallMs: 0,
  } as const
  const connected = new Set(validators)
  const told = explain({ ...rest, connected, snapshot: { ...snapshot, context, refusals: [refusal] } })
  match(told, /sorted by their texts with checksums, and this node sorts them by their bytes/)
  match(told, /start every Cairn node with --bft-proposer-order=CHECKSUM/)
  const other = { ...refusal, author: first }
  const sorted = explain({
    ...rest,
    connected,
    proposerOrder: 'CHECKSUM',
    snapshot: { ...snapshot, context, refusals: [other] },
  })
  match(sorted, /start every Cairn node with --bft-proposer-order=BYTES/)
})

it('a slow disk is named', async () => {
  match(explain(await evidence({}, 3_000, { lastPersistMs: 2_500 })), /took 2500 ms to reach the disk/)
})

it('a wire generation that only this node sends is named', async () => {
  const found = await evidence({ isDelivered: ({ kind }) => kind === 'roundChange' }, 7_000, {
    generation: 'legacy',
  })
  match(explain(found), /start it with --Xbft-legacy-protocol-encoding=false/)
})

it('a lost record of votes is named with what to do', async () => {
  const { snapshot, ...rest } = await evidence({}, 1_000)
  match(
    explain({ ...rest, snapshot: { ...snapshot, signsFrom: 2 } }),
    /signs nothing until the others have made a block since its start, and not before block 2/,
  )
})

it('a restored validator names the backup and what the operator may say', async () => {
  const { snapshot, ...rest } = await evidence({}, 1_000)
  match(
    explain({ ...rest, snapshot: { ...snapshot, signsFrom: 2, waitsAsRestored: true } }),
    /restored from a backup.*start it once with --bft-sign-without-votes/,
  )
})
