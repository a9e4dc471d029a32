import type { Pack } from '../suite.ts'

/** The hash of the word pegasys, from the pack. */
const ACCOUNT = `0x${'11'.repeat(20)}`
const HASH = '$2a$10$l3GA7K8g6rJ/Yv.YFSygCuI9byngpEzxgWS9qEg5emYDZomQW7fGC'

/**
 * The small files in the recording's working directory. The pack names them in its notes but does not contain them,
 * so they are recreated from the notes and from Besu's output.
 */
export function recordedInputs(pack: Pack): Record<string, string> {
  const entries = pack.json('recorded/cli.json') as { files?: Record<string, string>; stdin: string | null }[]
  const qbft = pack.json('recorded/config/op1.json') as { genesis: Record<string, unknown> }
  const given = entries[20]!.files!
  const publicKey = Object.entries(given).find(([path]) => path.endsWith('key.pub'))![1]
  const network = (genesis: unknown, blockchain?: unknown) => JSON.stringify({ genesis, blockchain })
  const generate = (count?: number) => ({ nodes: { generate: true, count } })
  const config = qbft.genesis.config as Record<string, unknown>
  const { qbft: bft, ...plainConfig } = config
  const { config: _, ...withoutConfig } = qbft.genesis
  const twoValidators =
    '["be068f726a13c8d46c44be6ce9d275600e1735a4", "5ff6f4b66a46a2b2310a6f3a93aaddc0d9a1c193"]'
  return {
    'qbft.json': network(qbft.genesis, generate(1)),
    'ibft.json': network({ ...qbft.genesis, config: { ...plainConfig, ibft2: bft } }, generate(1)),
    'bad.json': '{',
    'e.json': '{}',
    'e2.json': network(qbft.genesis),
    'e3.json': JSON.stringify({ blockchain: generate(1) }),
    'e4.json': network({ ...qbft.genesis, config: plainConfig }, generate(1)),
    'e5.json': network(withoutConfig, generate(1)),
    'keys.json': network(qbft.genesis, { nodes: { keys: [publicKey] } }),
    'badkeys.json': network(qbft.genesis, { nodes: { keys: ['0x1234'] } }),
    'nokeys.json': network(qbft.genesis, { nodes: { generate: false } }),
    'zero.json': network(qbft.genesis, generate(0)),
    'nocount.json': network(qbft.genesis, generate()),
    'neg.json': network(qbft.genesis, generate(-1)),
    'nonodes.json': network(qbft.genesis, {}),
    'v.json': twoValidators,
    'v0x.json': '["0xbe068f726a13c8d46c44be6ce9d275600e1735a4"]',
    'empty.json': '',
    'q.txt': entries[53]!.stdin!,
    'i.txt':
      '0xf853a00000000000000000000000000000000000000000000000000000000000000000ea94be068f726a13c8d46c44be6ce9d275600e1735a4945ff6f4b66a46a2b2310a6f3a93aaddc0d9a1c193808400000000c0\n',
    badkey: 'not a key',
    'good.toml': 'rpc-http-port=8545\n',
    'unk.toml': 'foo=1\nbar=2\n',
    'badval.toml': 'rpc-http-port="abc"\n',
    'badtoml.toml': 'rpc-http-port=\n',
    'empty.toml': '',
    'type.toml': 'rpc-http-port="8545"\n',
    'short.toml': 'h=true\n',
    'arr.toml': 'rpc-http-api=["ETH","NET"]\n',
    'table.toml': '[x]\ny=1\n',
    'c-empty-permissions.toml': `[Users.u]\npassword = "${HASH}"\npermissions = []\n`,
    'c-no-password.toml': '[Users.u]\npermissions = ["*:*"]\n',
    'c-broken.toml': '[Users.u\n',
    'c-duplicate.toml': `[Users.u]\npassword = "${HASH}"\n[Users.u]\npassword = "${HASH}"\n`,
    'c-empty.toml': '',
    'pm-empty.toml': '',
    'pm-broken.toml': 'accounts-allowlist=[',
    'pm-noaccounts.toml': 'nodes-allowlist=[]\n',
    'pm-nonodes.toml': 'accounts-allowlist=[]\n',
    'pm-badaccount.toml': 'accounts-allowlist=["0x1"]\nnodes-allowlist=[]\n',
    'pm-badenode.toml': 'accounts-allowlist=[]\nnodes-allowlist=["foo"]\n',
    'pm-dns.toml': `accounts-allowlist=[]\nnodes-allowlist=["enode://${'aa'.repeat(64)}@localhost:30303"]\n`,
    'pm-bootnode.toml': 'accounts-allowlist=[]\nnodes-allowlist=[]\n',
    'pm-dupacc.toml': `accounts-allowlist=["${ACCOUNT}","${ACCOUNT}"]\nnodes-allowlist=[]\n`,
    'key-bad': 'not a key',
    'pk.bad': 'not a key\n',
    'gbad.json': '{',
    'gempty.json': '{}',
  }
}
