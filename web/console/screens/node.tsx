import { ago, bareId, bytes, count, duration, plural, withShortHashes } from '../format.ts'
import { Badge, Empty, EnodeUrl, Facts, Hash, Panel, Table, useLoaded, useTurns } from '../parts.tsx'
import { request } from '../rpc.ts'
import { type NodeView, useConsole } from '../state.ts'
import type { DoctorReport, PluginState } from '../types.ts'
import { Charts } from './charts.tsx'
import { Reach } from './network.tsx'

const DOCTOR_MS = 60_000
const PLUGINS_MS = 10_000

export function NodeScreen({ node }: { node: NodeView }) {
  useConsole()
  const { info, peers, version, refusals } = node
  const connected = new Set(peers?.map(({ id }) => bareId(id)))
  // A node counts failures until it dials again, also while the other side dialled.
  const dials = node.dials?.filter(
    ({ enode }) => !connected.has(bareId(enode.slice('enode://'.length).split('@')[0]!)),
  )
  return (
    <>
      <Panel title={node.name} note={<Reach node={node} />}>
        {node.reach === 'unreachable' ? (
          <Empty title="The node is unreachable">{node.why}</Empty>
        ) : (
          <Facts
            rows={[
              ['Version', version ?? '–'],
              ['Enode', info ? <EnodeUrl value={info.enode} /> : (refusals.get('admin_nodeInfo') ?? '–')],
              ['Active fork', info?.activeFork ?? '–'],
              ['Network id', info ? String(info.protocols.eth.network) : '–'],
              ['Genesis', info ? <Hash value={info.protocols.eth.genesis} head={18} /> : '–'],
              ['Role', node.bft ? (node.bft.validator ? 'validator' : 'observer') : '–'],
            ]}
          />
        )}
      </Panel>
      <DoctorPanel node={node} />
      <Charts node={node} />
      <PluginsPanel node={node} />
      <Panel title="Peers" note={peers ? plural(peers.length, 'peer') : ''}>
        <Table
          label="Peers"
          columns={[
            { title: 'Peer', cell: ({ enode }) => <EnodeUrl value={enode} /> },
            { title: 'Why', cell: ({ why }) => why },
            {
              title: 'Direction',
              isMinor: true,
              cell: ({ network }) => (network.inbound ? 'it dialled' : 'we dialled'),
            },
            {
              title: 'Connected',
              isNumber: true,
              cell: ({ connectedSeconds }) => duration(connectedSeconds * 1_000),
            },
            {
              title: 'Head',
              isNumber: true,
              cell: ({ protocols }) =>
                protocols.eth?.latestBlock === undefined ? '–' : count(protocols.eth.latestBlock),
            },
            { title: 'Received', isNumber: true, isMinor: true, cell: ({ bytesIn }) => bytes(bytesIn) },
            { title: 'Sent', isNumber: true, isMinor: true, cell: ({ bytesOut }) => bytes(bytesOut) },
            {
              title: 'Client',
              isMinor: true,
              cell: ({ name }) => (
                <span class="clip" title={name}>
                  {name}
                </span>
              ),
            },
          ]}
          rows={peers ?? []}
          keyOf={({ id }) => id}
          empty={refusals.get('admin_peers') ?? (peers ? 'The node has no peers.' : node.why || 'Loading…')}
        />
      </Panel>
      <Panel title="Failed dials">
        <Table
          label="Failed dials"
          columns={[
            { title: 'Node', cell: ({ enode }) => <EnodeUrl value={enode} /> },
            {
              title: 'In a row',
              cell: ({ failures }) => <Badge level="warn">{plural(failures, 'failure')}</Badge>,
            },
            { title: 'Reason', cell: ({ why }) => <span class="wrap">{withShortHashes(why)}</span> },
          ]}
          isStacked
          rows={dials ?? []}
          keyOf={({ enode }) => enode}
          empty={
            refusals.get('admin_failedDials') ??
            (dials ? 'The node is connected to every node that it dials.' : node.why || 'Loading…')
          }
        />
      </Panel>
    </>
  )
}

function DoctorPanel({ node }: { node: NodeView }) {
  const turn = useTurns(DOCTOR_MS)
  const { value, error } = useLoaded(() => request<DoctorReport>(node.key, 'admin_doctor'), [node.key, turn])
  return (
    <Panel
      title="Doctor"
      note={
        value && `${plural(value.checks, 'check')} ${ago(Math.max(0, Date.now() - Date.parse(value.at)))}`
      }
    >
      {value === undefined ? (
        <Empty title={error === undefined ? 'The checks run…' : 'No findings are known'}>{error}</Empty>
      ) : (
        <Table
          label="Findings of the doctor"
          columns={[
            {
              title: 'Severity',
              cell: ({ severity }) => (
                <Badge level={severity === 'error' ? 'bad' : 'warn'}>{String(severity)}</Badge>
              ),
            },
            { title: 'Check', isMinor: true, cell: ({ id }) => id },
            { title: 'Problem', cell: ({ problem }) => <span class="wrap">{problem}</span> },
            { title: 'Remedy', cell: ({ remedy }) => <span class="wrap">{remedy}</span> },
          ]}
          rows={value.findings}
          keyOf={({ id, problem }) => `${id} ${problem}`}
          empty="The checks found nothing."
          isStacked
        />
      )}
    </Panel>
  )
}

const PLUGIN_LEVELS = new Map([
  ['running', 'good'],
  ['restarting', 'warn'],
] as const)

function PluginsPanel({ node }: { node: NodeView }) {
  const turn = useTurns(PLUGINS_MS)
  const { value, error } = useLoaded(
    () => request<PluginState[]>(node.key, 'plugins_status'),
    [node.key, turn],
  )
  return (
    <Panel title="Plugins" note={value && value.length > 0 ? plural(value.length, 'plugin') : ''}>
      <Table
        label="Plugins"
        columns={[
          { title: 'Plugin', cell: ({ name }) => name },
          { title: 'Version', cell: ({ version }) => version ?? '–' },
          {
            title: 'State',
            cell: ({ state }) => (
              <Badge level={PLUGIN_LEVELS.get(state as 'running') ?? 'bad'}>{String(state)}</Badge>
            ),
          },
          { title: 'Cause', cell: ({ cause }) => <span class="wrap">{cause ?? '–'}</span> },
          { title: 'Declares', isMinor: true, cell: ({ declares }) => <span class="wrap">{declares}</span> },
        ]}
        rows={value ?? []}
        keyOf={({ name }) => name}
        empty={error ?? (value ? 'The node has no plugins.' : 'Loading…')}
      />
    </Panel>
  )
}
