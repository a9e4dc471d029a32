import { match, ok, strictEqual } from 'node:assert'
import { test } from 'node:test'
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
  const coreState = network.nodes[1]!.core.state()
  ok(coreState)
  return {
    coreState,
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

test('a working network waits for its next block to be due', async () => {
  strictEqual(explain(await evidence({}, 5_000)), 'Block 3 is not due yet.')
})

test('a key that is not in the set is named first', async () => {
  const { coreState, ...rest } = await evidence({}, 1_000)
  match(explain({ ...rest, coreState: { ...coreState, isValidator: false } }), /not among the 4 validators/)
})

test('a chain that was rewound behind the signature log is named, with the remedy', async () => {
  const { coreState, ...rest } = await evidence({}, 5_000)
  const signed = { height: coreState.context.height + 4, round: 0 }
  match(
    explain({ ...rest, coreState: { ...coreState, signed } }),
    /signed block 7, but its chain ends at block 2.*cairn blocks import/,
  )
})

test('failing imports are named, also on a follower', async () => {
  const { coreState, ...rest } = await evidence({}, 1_000, { importProblem: 'The disk is full.' })
  for (const isValidator of [true, false]) {
    match(explain({ ...rest, coreState: { ...coreState, isValidator } }), /blocks of its peers.*disk is full/)
  }
})

test('a failure of this node is named before causes in others', async () => {
  const failure = { what: 'import', height: 1, sentence: 'The disk is full.' } as const
  const now = await evidence(CUT_OFF, 7_000, { failure })
  match(explain(now), /cannot import the decided block and retries: The disk is full\./)
  match(
    explain({ ...now, failure: { ...failure, height: 9 } }),
    /took part in block 1|waits for the proposal/,
  )
})

test('a failing signature is reported until it succeeds, even if the others continue', async () => {
  const failure = { what: 'sign', height: 1, sentence: 'The signer is away.' } as const
  const now = await evidence(CUT_OFF, 7_000, { failure: { ...failure, height: 9 } })
  match(explain(now), /cannot sign: The signer is away\./)
})

test('unknown messages with its own key are named before an old signature log', async () => {
  const { coreState, ...rest } = await evidence(CUT_OFF, 1_000)
  const { context, validators } = coreState
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
    explain({ ...rest, coreState: { ...coreState, signsFrom: 2, refusals: [refusal] } }),
    /another node has the key/,
  )
})

test('too few peers are counted, and a different genesis block is named', async () => {
  const alone = await evidence(CUT_OFF, 7_000, { connected: new Set() })
  match(
    explain(alone),
    /^3 of 4 validators are needed, and this node reaches 1 including itself\. Silent: (0x[0-9a-f]{40} \(not heard since the start\)(, |\. )){3}Check/,
  )
  const address = alone.coreState.validators[2]!.address
  for (const [why, remedy] of [
    ['genesis block', /same genesis file\.$/],
    ['network id', /same --network-id, or none\.$/],
    ['forks', /same forks\.$/],
  ] as const) {
    const told = explain({ ...alone, turnedAway: [{ address, why }] })
    match(told, new RegExp(`1 node, ${address} among them, was turned away for a different ${why}: `))
    match(told, remedy)
  }
})

test('a peer that speaks another consensus protocol is named', async () => {
  const alone = await evidence(CUT_OFF, 7_000, { connected: new Set() })
  const { address } = alone.coreState.validators[0]!
  match(
    explain({ ...alone, exchanging: new Set([address]) }),
    new RegExp(`${address} is a peer but shares no consensus protocol with this node`),
  )
})

test('validators whose messages are relayed count as reached', async () => {
  const line = await evidence({}, 5_000, { connected: new Set() })
  strictEqual(explain(line), 'Block 3 is not due yet.')
})

test('validators that are connected and silent are named', async () => {
  const found = await evidence(CUT_OFF, 7_000)
  const sentence = explain(found)
  match(sentence, /^3 of 4 validators are needed, and 1 took part in block 1\. Silent: 0x/)
  match(sentence, /3 of these are connected: call bft_status on their nodes to see why they do not vote\.$/)
  ok(sentence.includes(found.coreState.validators[3]!.address))
})

test('validators that fell silent are named, with the time since', async () => {
  // Two take part in the first round and are silent afterwards.
  const hears: NetworkSettings['isDelivered'] = ({ signed, kind }, from) =>
    kind === 'prepare' ? signed.payload.round === 0 : kind === 'proposal' || from.address > '0x8'
  const gone = await evidence({ isDelivered: hears }, 9_000)
  const connected = new Set(gone.coreState.validators.slice(0, 2).map(({ address }) => address))
  const silent = gone.coreState.validators.filter(
    ({ isSelf, lastHeard }) => !isSelf && lastHeard?.round === 0,
  )
  ok(silent.length > 0)
  const sentence = explain({ ...gone, connected })
  for (const { address } of silent) match(sentence, new RegExp(`${address} \\(last heard \\d+ s ago\\)`))
})

test('clocks are named if the last block is ahead or a proposal was refused for its time', async () => {
  match(explain(await evidence({}, 1_000, { wallMs: 1_600_000_000_000 })), /ahead of this machine's clock/)
  const refused = await evidence(
    { blockProblem: () => 'Its timestamp is 5 s ahead of the clock of this node.' },
    3_000,
  )
  match(explain(refused), /was refused for its time: .*NTP/)
  const { context } = refused.coreState
  const later = { ...refused.coreState, context: { ...context, height: context.height + 2 } }
  match(explain({ ...refused, coreState: later }), /was refused for its time/)
  const ahead = await evidence({}, 5_000, { clockAheadMs: 12_000 })
  match(
    explain({ ...ahead, coreState: { ...ahead.coreState, signsFrom: 9 } }),
    /came 12 s after their timestamps/,
  )
})

test('a refused proposal is named with its reason', async () => {
  const refused = await evidence({ blockProblem: () => 'Its state root is wrong.' }, 3_000)
  match(
    explain(refused),
    /^The proposal of 0x[0-9a-f]{40} for round 0 was refused: Its state root is wrong\. Compare/,
  )
})

test('proposers in checksum order are named', async () => {
  const { coreState, ...rest } = await evidence({}, 3_000)
  // By bytes the first comes before the second, by checksum text after it, because lower case follows upper case.
  const first = '0xa5cc3c03994db5b0d9a5eedd10cabab0813678ac' as Address
  const [second, third] = [
    '0xcccccccccccccccccccccccccccccccccccccccc' as Address,
    '0x1111111111111111111111111111111111111111' as Address,
  ]
  const validators = [third, first, second]
  const texts = validators.toSorted((a, b) => (withChecksum(a) < withChecksum(b) ? -1 : 1))
  ok(texts.indexOf(second) < texts.indexOf(first))
  const context = {
    ...coreState.context,
    validators,
    parent: { ...coreState.context.parent, coinbase: third },
  }
  const refusal = {
    height: context.height,
    round: 0,
    author: second,
    what: 'proposal',
    sentence: 'It is of another.',
    wallMs: 0,
  } as const
  const connected = new Set(validators)
  const told = explain({ ...rest, connected, coreState: { ...coreState, context, refusals: [refusal] } })
  match(told, /sorted by their checksum texts, but this node sorts them by their bytes/)
  match(told, /start every Cairn node with --bft-proposer-order=CHECKSUM/)
  const other = { ...refusal, author: first }
  const sorted = explain({
    ...rest,
    connected,
    proposerOrder: 'CHECKSUM',
    coreState: { ...coreState, context, refusals: [other] },
  })
  match(sorted, /start every Cairn node with --bft-proposer-order=BYTES/)
})

test('a slow disk is named', async () => {
  match(explain(await evidence({}, 3_000, { lastPersistMs: 2_500 })), /took 2500 ms to reach the disk/)
})

test('a wire generation that only this node sends is named', async () => {
  const found = await evidence({ isDelivered: ({ kind }) => kind === 'roundChange' }, 7_000, {
    generation: 'legacy',
  })
  match(explain(found), /Start it with --Xbft-legacy-protocol-encoding=false/)
})

test('a lost signature log is named with the remedy', async () => {
  const { coreState, ...rest } = await evidence({}, 1_000)
  match(
    explain({ ...rest, coreState: { ...coreState, signsFrom: 2 } }),
    /signs nothing until the others have produced a block, and not before block 2/,
  )
})

test('a restored validator names the backup and the option', async () => {
  const { coreState, ...rest } = await evidence({}, 1_000)
  match(
    explain({ ...rest, coreState: { ...coreState, signsFrom: 2, waitsAsRestored: true } }),
    /restored from a backup.*start it once with --bft-sign-without-votes/,
  )
})
