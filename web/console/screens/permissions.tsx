import { useState } from 'preact/hooks'
import { ago, count, plural } from '../format.ts'
import { Badge, type Column, Empty, EnodeUrl, Hash, Panel, Problem, Table, useLoaded } from '../parts.tsx'
import { discover, type OpenRpc, whyNot } from '../rights.ts'
import { request } from '../rpc.ts'
import { type NodeView, useConsole } from '../state.ts'
import type { AuditEntry, AuditTrail, ListComparison, TriedChange } from '../types.ts'

const LISTS = [
  { name: 'accounts', title: 'Accounts', hint: '0x… address', note: 'may send transactions' },
  { name: 'nodes', title: 'Nodes', hint: 'enode://…', note: 'may connect' },
] as const

type List = (typeof LISTS)[number]
const TRAIL_ENTRIES = 50
const SHOWN_CHARACTERS = 240

export function PermissionsScreen({ node }: { node: NodeView }) {
  useConsole()
  const document = useLoaded(() => discover(node.key), [node.key])
  /** Counts changes, so every panel loads again after each. */
  const [turn, setTurn] = useState(0)
  const onChange = (): void => setTurn((before) => before + 1)
  const shared = { node, document: document.value, turn, onChange }
  return (
    <>
      <FilePanel {...shared} />
      {LISTS.map((list) => (
        <ListPanel key={list.name} list={list} {...shared} />
      ))}
      <TrailPanel {...shared} />
    </>
  )
}

interface PanelProps {
  readonly node: NodeView
  readonly document: OpenRpc | undefined
  readonly turn: number
  readonly onChange: () => void
}

function ListPanel({ node, list, document, turn, onChange }: PanelProps & { list: List }) {
  const [entry, setEntry] = useState('')
  const [message, setMessage] = useState('')
  const loaded = useLoaded(
    () => request<string[]>(node.key, `perm_get${list.title}Allowlist`),
    [node.key, turn],
  )
  const refusal = whyNot(node.key, `perm_add${list.title}ToAllowlist`, document)
  const cannotTry = whyNot(node.key, 'perm_tryChange', document)
  const entries = loaded.value ?? []
  const change = (method: string, text: string): void => {
    request(node.key, method, [text]).then(
      () => {
        setMessage(`Changed in memory and in the file: ${text}`)
        setEntry('')
        onChange()
      },
      (error: Error) => setMessage(`It was refused: ${error.message}.`),
    )
  }
  const attempt = (edit: 'add' | 'remove', text: string): void => {
    request<TriedChange>(node.key, 'perm_tryChange', edit, list.name, [text]).then(
      (tried) => setMessage(sentenceOf(edit, text, tried, node)),
      (error: Error) => setMessage(`It would be refused: ${error.message}.`),
    )
  }
  const acts = { list, change, attempt, mayChange: refusal === undefined, mayTry: cannotTry === undefined }
  return (
    <Panel title={list.title} note={loaded.value ? `${count(entries.length)} ${list.note}` : ''}>
      {loaded.error ? (
        <Empty title="No list is in force">{loaded.error}</Empty>
      ) : loaded.value === undefined ? (
        <Empty title="Loading…" />
      ) : (
        <>
          <EntryTable {...acts} entries={entries} />
          {(acts.mayChange || acts.mayTry) && <AddForm {...acts} entry={entry} setEntry={setEntry} />}
          {refusal !== undefined && <p class="inset note">{refusal}</p>}
        </>
      )}
      {message && (
        <p class="inset note" role="status">
          {message}
        </p>
      )}
    </Panel>
  )
}

interface ListActs {
  readonly list: List
  readonly mayChange: boolean
  readonly mayTry: boolean
  change(method: string, text: string): void
  attempt(edit: 'add' | 'remove', text: string): void
}

function EntryTable({ list, mayChange, mayTry, change, attempt, entries }: ListActs & { entries: string[] }) {
  const columns: Column<string>[] = [
    {
      title: list.name === 'accounts' ? 'Account' : 'Node',
      cell: (each) => <Entry value={each} />,
    },
    {
      title: 'Actions',
      isNumber: true,
      cell: (each) => (
        <>
          {mayTry && (
            <button type="button" class="quiet small" onClick={() => attempt('remove', each)}>
              Dry run
            </button>
          )}
          {mayChange && (
            <button
              type="button"
              class="quiet small"
              onClick={() => change(`perm_remove${list.title}FromAllowlist`, each)}
            >
              Remove
            </button>
          )}
        </>
      ),
    },
  ]
  return (
    <Table
      label={list.title}
      columns={columns.slice(0, mayTry || mayChange ? 2 : 1)}
      rows={entries}
      keyOf={(each) => each}
      empty={`The list is empty: no ${list.name} are permitted.`}
      isStacked
    />
  )
}

const Entry = ({ value }: { value: string }) =>
  value.startsWith('enode:') ? <EnodeUrl value={value} /> : <Hash value={value} head={42} />

function AddForm(props: ListActs & { entry: string; setEntry: (text: string) => void }) {
  const { list, mayChange, mayTry, change, attempt, entry, setEntry } = props
  const text = entry.trim()
  return (
    <form
      class="filter inset"
      onSubmit={(event) => {
        event.preventDefault()
        if (mayChange) change(`perm_add${list.title}ToAllowlist`, text)
        else attempt('add', text)
      }}
    >
      <input
        aria-label={`Add to ${list.title}`}
        placeholder={list.hint}
        value={entry}
        onInput={(event) => setEntry(event.currentTarget.value)}
      />
      {mayTry && (
        <button type="button" disabled={text === ''} onClick={() => attempt('add', text)}>
          Dry run
        </button>
      )}
      {mayChange && (
        <button type="submit" disabled={text === ''}>
          Add
        </button>
      )}
    </form>
  )
}

function sentenceOf(edit: 'add' | 'remove', text: string, tried: TriedChange, { peers }: NodeView): string {
  const { before, after, droppedCount } = tried
  const id = /^enode:\/\/([0-9a-f]{128})@/i.exec(text)?.[1]?.toLowerCase()
  const isConnected = id !== undefined && peers?.some((peer) => peer.id === `0x${id}`)
  return [
    `It would be accepted: the list would have ${plural(after, 'entry', 'entries')} instead of ${count(before)}.`,
    droppedCount > 0
      ? `${plural(droppedCount, 'entry', 'entries')} only in the file would be removed from it.`
      : '',
    edit === 'remove' && isConnected ? 'The node is connected and would be disconnected.' : '',
    'Nothing was changed.',
  ]
    .filter((each) => each !== '')
    .join(' ')
}

/** The lists in memory next to the file, and the reload whose outcome that is. */
function FilePanel({ node, document, turn, onChange }: PanelProps) {
  const [message, setMessage] = useState('')
  const [looks, setLooks] = useState(0)
  const compared = useLoaded(
    () => request<ListComparison[]>(node.key, 'perm_compareFile'),
    [node.key, turn, looks],
  )
  const refusal = whyNot(node.key, 'perm_reloadPermissionsFromFile', document)
  const lists = compared.value ?? []
  const isReady =
    lists.some(({ problem }) => problem === null) && lists.every(({ problem }) => problem === null)
  return (
    <Panel
      title="File and memory"
      note={lists[0]?.file}
      action={
        <button type="button" class="quiet" onClick={() => setLooks((before) => before + 1)}>
          Compare again
        </button>
      }
    >
      {compared.error ? (
        <Empty title="The file cannot be compared">{compared.error}</Empty>
      ) : compared.value === undefined ? (
        <Empty title="Loading…" />
      ) : lists.length === 0 ? (
        <Empty title="No list is in force">
          Every account may send transactions, and every node may connect.
          --permissions-accounts-config-file-enabled and --permissions-nodes-config-file-enabled put lists in
          force.
        </Empty>
      ) : (
        <>
          <Table
            label="Lists in the file and in memory"
            columns={[
              { title: 'List', cell: ({ list }) => list },
              {
                title: 'In memory',
                isNumber: true,
                cell: ({ inForce }) => plural(inForce, 'entry', 'entries'),
              },
              {
                title: 'In the file',
                isNumber: true,
                cell: ({ inFile }) => (inFile === null ? '–' : plural(inFile, 'entry', 'entries')),
              },
              { title: 'A reload would', cell: (each) => <Difference compared={each} /> },
            ]}
            rows={lists}
            keyOf={({ list }) => list}
            levelOf={({ problem }) => (problem === null ? undefined : 'bad')}
            empty=""
          />
          {lists.map((each) => (
            <DifferenceEntries key={each.list} compared={each} />
          ))}
          {refusal === undefined ? (
            <div class="inset filter">
              <button
                type="button"
                disabled={!isReady}
                onClick={() =>
                  request(node.key, 'perm_reloadPermissionsFromFile').then(
                    () => {
                      setMessage('The lists are those of the file now.')
                      onChange()
                    },
                    (error: Error) => setMessage(error.message),
                  )
                }
              >
                Read the file again
              </button>
              {message && <span class="note">{message}</span>}
            </div>
          ) : (
            <p class="inset note">{refusal}</p>
          )}
        </>
      )}
    </Panel>
  )
}

function Difference({ compared }: { compared: ListComparison }) {
  const { problem, readOnly, addedCount, removedCount } = compared
  if (problem !== null) return <Badge level="bad">fail</Badge>
  const isSame = addedCount + removedCount === 0
  return (
    <>
      <Badge level={isSame ? 'good' : 'warn'}>
        {isSame ? 'change nothing' : `add ${count(addedCount)}, remove ${count(removedCount)}`}
      </Badge>
      {readOnly !== null && <Badge level="warn">the file is read-only</Badge>}
    </>
  )
}

function DifferenceEntries({ compared }: { compared: ListComparison }) {
  const { list, problem, readOnly, added, addedCount, removed, removedCount } = compared
  const rows = [
    ...added.map((entry) => ({ entry, where: 'only in the file' })),
    ...removed.map((entry) => ({ entry, where: 'only in memory' })),
  ]
  return (
    <>
      {problem !== null && <Problem text={problem} />}
      {readOnly !== null && <p class="inset note">{readOnly}</p>}
      {rows.length > 0 && (
        <Table
          label={`Differences of ${list}`}
          columns={[
            {
              title: list === 'accounts' ? 'Account' : 'Node',
              cell: ({ entry }) => <Entry value={entry} />,
            },
            { title: 'Is', cell: ({ where }) => where },
          ]}
          rows={rows}
          keyOf={({ entry, where }) => `${where} ${entry}`}
          empty=""
        />
      )}
      {addedCount + removedCount > rows.length && (
        <p class="inset note">
          {plural(addedCount + removedCount - rows.length, 'further difference')} not shown.
        </p>
      )}
    </>
  )
}

function TrailPanel({ node, turn }: PanelProps) {
  const loaded = useLoaded(
    () => request<AuditTrail>(node.key, 'admin_auditLog', TRAIL_ENTRIES, 'perm_'),
    [node.key, turn],
  )
  const { entries = [], isComplete = true } = loaded.value ?? {}
  return (
    <Panel
      title="Audit trail"
      note={
        entries.length > 0
          ? `the last ${plural(entries.length, 'call')}${isComplete ? '' : '; the log has more'}`
          : ''
      }
    >
      {loaded.error ? (
        <Empty title="The trail is not shown">{loaded.error}.</Empty>
      ) : (
        <Table
          label="Audit trail"
          columns={[
            { title: 'When', cell: ({ time }) => <When time={time} /> },
            { title: 'User', cell: ({ user }) => user ?? 'not authenticated' },
            { title: 'From', isMinor: true, cell: ({ remoteAddress }) => remoteAddress ?? 'this process' },
            { title: 'Call', cell: (each) => <CallText entry={each} /> },
            { title: 'Outcome', cell: (each) => <Outcome entry={each} /> },
          ]}
          rows={entries}
          keyOf={({ line, time }) => `${line} ${time}`}
          levelOf={({ isIntact }) => (isIntact ? undefined : 'bad')}
          empty={loaded.value === undefined ? 'Loading…' : 'No call has changed the allowlists yet.'}
        />
      )}
    </Panel>
  )
}

function When({ time }: { time: string }) {
  const atMs = Date.parse(time)
  return <span title={time}>{Number.isNaN(atMs) ? time : ago(Math.max(0, Date.now() - atMs))}</span>
}

function CallText({ entry }: { entry: AuditEntry }) {
  const params = JSON.stringify(entry.params)
  return (
    <span class="wrap">
      {entry.method}{' '}
      <span class="note" title={params.slice(0, 4_000)}>
        {params.slice(0, SHOWN_CHARACTERS)}
      </span>
    </span>
  )
}

function Outcome({ entry: { outcome, isIntact } }: { entry: AuditEntry }) {
  if (!isIntact) return <Badge level="bad">this line was changed</Badge>
  const { error } = outcome
  if (typeof error === 'object' && error !== null && 'message' in error) {
    return (
      <span class="wrap">
        <Badge level="warn">refused</Badge> {String(error.message)}
      </span>
    )
  }
  if ('outcome' in outcome) return <Badge level="warn">unknown</Badge>
  return <Badge level="good">done</Badge>
}
