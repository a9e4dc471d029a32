import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { duration, plural } from '../format.ts'
import { Empty, Panel, Problem, useLoaded } from '../parts.tsx'
import { discover, type OpenRpc, type OpenRpcMethod, whyNot } from '../rights.ts'
import { goTo, linkTo } from '../route.ts'
import { ask } from '../rpc.ts'
import { type NodeView, useConsole } from '../state.ts'

const SHOWN_CHARS = 100_000

export function TryScreen({ node, method }: { node: NodeView; method: string }) {
  useConsole()
  const loaded = useLoaded(() => discover(node.key), [node.key])
  const [search, setSearch] = useState('')
  const { value: document } = loaded
  const methods = useMemo(
    () =>
      (document?.methods ?? []).filter(({ name }) =>
        name.toLowerCase().includes(search.trim().toLowerCase()),
      ),
    [document, search],
  )
  const chosen = document?.methods.find(({ name }) => name === method)
  const list = useRef<HTMLUListElement>(null)
  // A link to a method far down the list shows it.
  useEffect(
    () => list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' }),
    [chosen],
  )
  return (
    <div class="split">
      <Panel title="Methods" note={document ? plural(document.methods.length, 'method') : ''}>
        <div class="inset">
          <input
            aria-label="Find a method"
            placeholder="Find a method"
            value={search}
            onInput={(event) => setSearch(event.currentTarget.value)}
          />
        </div>
        {loaded.error && <Problem text={loaded.error} />}
        <ul class="methods" ref={list}>
          {methods.map(({ name }) => (
            <li key={name}>
              <a
                class="method"
                href={linkTo(`try/${name}`)}
                aria-current={name === method ? 'true' : undefined}
              >
                {name}
              </a>
            </li>
          ))}
        </ul>
      </Panel>
      {document && chosen ? (
        <MethodForm key={`${node.key}${chosen.name}`} node={node} method={chosen} document={document} />
      ) : (
        <Panel title="Try">
          <Empty title={method && document ? `The node does not serve ${method}` : 'Choose a method'}>
            Its form comes from the node's own OpenRPC document.
          </Empty>
        </Panel>
      )}
    </div>
  )
}

function MethodForm({
  node,
  method,
  document,
}: {
  node: NodeView
  method: OpenRpcMethod
  document: OpenRpc
}) {
  const { name, summary, params, examples } = method
  const [texts, setTexts] = useState<readonly string[]>(() =>
    params.map((_, at) => {
      const example = examples?.[0]?.params[at]?.value
      return example === undefined ? '' : typeof example === 'string' ? example : JSON.stringify(example)
    }),
  )
  const [outcome, setOutcome] = useState<{
    readonly text: string
    readonly isError: boolean
    readonly tookMs: number
  }>()
  const refusal = whyNot(node.key, name, document)
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault()
    const beganMs = performance.now()
    const done = (text: string, isError: boolean): void =>
      setOutcome({ text, isError, tookMs: performance.now() - beganMs })
    ask(node.key, [{ method: name, params: trimEnd(texts.map(readValue)) }]).then(
      ([answer]) =>
        done(JSON.stringify(answer?.ok ? (answer.result ?? null) : answer, undefined, 2), !answer?.ok),
      (error: Error) => done(error.message, true),
    )
  }
  return (
    <Panel
      title={name}
      note={summary}
      action={
        <button type="button" class="quiet" onClick={() => goTo('try')}>
          Close
        </button>
      }
    >
      <form class="inset form" onSubmit={onSubmit}>
        {params.map(({ name: parameter, required, schema }, at) => (
          <label key={parameter}>
            <span>
              {parameter}{' '}
              <span class="note">{required ? typeOf(schema) : `${typeOf(schema)}, optional`}</span>
            </span>
            <input
              value={texts[at]}
              spellcheck={false}
              onInput={({ currentTarget }) => setTexts((before) => before.with(at, currentTarget.value))}
            />
          </label>
        ))}
        {params.length === 0 && <p class="note">This method has no parameters.</p>}
        <button type="submit" class="primary" disabled={refusal !== undefined}>
          Call
        </button>
        {refusal && <p class="note">{refusal}</p>}
      </form>
      {outcome && (
        <div class="inset">
          <p class="note">Answered in {duration(outcome.tookMs)}</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
          <pre class={`answer ${outcome.isError ? 'bad-text' : ''}`} tabIndex={0} id="answer">
            {outcome.text.length > SHOWN_CHARS ? `${outcome.text.slice(0, SHOWN_CHARS)}…` : outcome.text}
          </pre>
        </div>
      )}
    </Panel>
  )
}

/** JSON if the text is an object, a list, a number or a literal; otherwise the text itself. */
function readValue(text: string): unknown {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  if (!/^[[{"\d-]|^(?:true|false|null)$/.test(trimmed) || /^0x/i.test(trimmed)) return trimmed
  try {
    return JSON.parse(trimmed)
  } catch {
    return trimmed
  }
}

function trimEnd(values: readonly unknown[]): unknown[] {
  const kept = [...values]
  while (kept.length > 0 && kept.at(-1) === undefined) kept.pop()
  return kept.map((value) => value ?? null)
}

function typeOf(schema: unknown): string {
  const { $ref, type, description } = (schema ?? {}) as { $ref?: string; type?: string; description?: string }
  return $ref?.split('/').at(-1) ?? description ?? type ?? 'value'
}
