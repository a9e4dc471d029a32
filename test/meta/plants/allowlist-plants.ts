import type { Plants } from './plant.ts'

const PERMISSIONS = 'src/allowlist/permissions.ts'
const PERMISSIONS_TEST = 'src/allowlist/permissions.test.ts'
const NODES_TEST = 'src/allowlist/permitted-nodes.test.ts'
const PEERS_TEST = 'src/p2p/permitted-only.test.ts'
const TEXT = 'src/allowlist/permissions-text.ts'
const TEXT_TEST = 'src/allowlist/permissions-text.test.ts'
const FILE = 'src/platform/files/edited-file.ts'

export const ALLOWLIST_PLANTS: Plants = {
  'allowlist-open': {
    mistake: 'every account may send transactions, regardless of the list',
    file: PERMISSIONS,
    from: 'const isPermitted = this.accounts.has(sender)',
    to: 'const isPermitted = this.accounts.has(sender) || sender !== undefined',
    caughtBy: PERMISSIONS_TEST,
  },
  'allowlist-in-force-unsaved': {
    mistake: 'a change takes effect before it is on disk',
    file: PERMISSIONS,
    from: "if (saved === 'failed' || saved === 'too long') return",
    to: "if (saved === 'too long') return",
    caughtBy: PERMISSIONS_TEST,
  },
  'allowlist-overwrites-edits': {
    mistake: 'a file that lacks permitted accounts is overwritten',
    file: PERMISSIONS,
    from: 'if (standing === undefined || !list.all().every((entry) => standing.has(entry))) return',
    to: 'if (standing === undefined) return',
    caughtBy: PERMISSIONS_TEST,
  },
  'allowlist-at-once': {
    mistake: 'concurrent changes overwrite each other',
    file: 'src/platform/serial-queue.ts',
    from: 'this.#last.then(work)',
    to: 'Promise.resolve().then(work)',
    caughtBy: 'src/platform/serial-queue.test.ts',
  },
  'allowlist-silent': {
    mistake: 'the log does not name the caller that changed the list',
    file: PERMISSIONS,
    from: "user: origin.user ?? 'anonymous',",
    to: "user: 'anonymous',",
    caughtBy: PERMISSIONS_TEST,
  },
  'allowlist-duplicates': {
    mistake: 'a file that lists an account twice is accepted',
    file: TEXT,
    from: '(seen.has(entry) && !kind.mayRepeat)',
    to: 'false',
    caughtBy: TEXT_TEST,
  },
  'allowlist-node-id': {
    mistake: 'a node is permitted by its address, regardless of its id',
    file: 'src/types/endpoint-set.ts',
    from: 'this.#byId.get(node.id)?.some((each) => sameEndpoint(each, node)) ?? false',
    to: '[...this.#byId.values()].flat().some(({ host, tcpPort }) => host === node.host && tcpPort === node.tcpPort)',
    caughtBy: 'src/types/endpoint-set.test.ts',
  },
  'allowlist-fixed': {
    mistake: 'a bootnode that is not listed does not stop the start',
    file: PERMISSIONS,
    from: 'if (missing.length === 0) return',
    to: 'return',
    caughtBy: NODES_TEST,
  },
  'allowlist-stays': {
    mistake: 'a node that was removed from the list stays connected',
    file: 'src/p2p/start-peers.ts',
    from: 'await network.recheck()',
    to: '',
    caughtBy: PEERS_TEST,
  },
  'allowlist-remembered': {
    mistake: 'a node that was removed from the list stays in the discovery table',
    file: 'src/p2p/start-peers.ts',
    from: 'await discovery?.recheck()',
    to: '',
    caughtBy: PEERS_TEST,
  },
  'allowlist-stranger-answered': {
    mistake: 'a key without an entry gets an answer',
    file: 'src/p2p/start-peers.ts',
    from: 'rules.permitsHost(id, ip)',
    to: 'rules !== undefined && id !== ip',
    caughtBy: PEERS_TEST,
  },
  'allowlist-port': {
    mistake: 'the announced port of a peer is not compared',
    file: 'src/types/enode.ts',
    from: 'a.id === b.id && a.host === b.host && a.tcpPort === b.tcpPort',
    to: 'a.id === b.id && a.host === b.host',
    caughtBy: 'src/types/endpoint-set.test.ts',
  },
  'allowlist-changed-meanwhile': {
    mistake: 'a node that is removed while other lookups are pending is admitted',
    file: 'src/p2p/peer-rules.ts',
    from: '&& (await mayConnect(action, peer)) && rules.permits(peer)',
    to: '&& (await mayConnect(action, peer))',
    caughtBy: 'src/p2p/peer-rules.test.ts',
  },
  'allowlist-findnode-port': {
    mistake: 'a permitted node that requests neighbours is judged without its port',
    file: 'src/p2p/discv4/discovery.ts',
    from: "this.#permits('tellNeighbors', { ...from, tcpPort })",
    to: "this.#permits('tellNeighbors', { ...from, tcpPort: tcpPort * 0 })",
    caughtBy: 'src/p2p/discv4/discovery.test.ts',
  },
  'allowlist-host-moved': {
    mistake: 'a host that moved stays permitted at its old address',
    file: 'src/allowlist/permitted-nodes.ts',
    from: "nodes allowlist')\n    this.#renew()",
    to: "nodes allowlist')",
    caughtBy: NODES_TEST,
  },
  'allowlist-lost-edit': {
    mistake: 'a manual edit during a change is lost',
    file: FILE,
    from: '!== before) {',
    to: '=== undefined) {',
    caughtBy: 'src/platform/files/edited-file.test.ts',
  },
  'allowlist-unsynced': {
    mistake: 'the new file is renamed before it is on disk',
    file: FILE,
    from: 'await handle.sync()',
    to: '',
    caughtBy: 'test/adversarial/crash/torn-files.test.ts',
  },
}
