import { Component, type ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ago, count, duration, toNumber } from './format.ts'
import { Badge, Empty } from './parts.tsx'
import { goTo, linkTo, type Route, readRoute } from './route.ts'
import { forgetTokens, logIn, SELF, useToken } from './rpc.ts'
import { AddressScreen } from './screens/address.tsx'
import { BlockScreen, BlocksScreen } from './screens/blocks.tsx'
import { NetworkScreen } from './screens/network.tsx'
import { NodeScreen } from './screens/node.tsx'
import { PermissionsScreen } from './screens/permissions.tsx'
import { PoolScreen } from './screens/pool.tsx'
import { StoppedScreen } from './screens/stopped.tsx'
import { TransactionScreen } from './screens/transaction.tsx'
import { TryScreen } from './screens/try.tsx'
import { VotesScreen } from './screens/votes.tsx'
import { follow, leave, type NodeView, nodeNamed, state, useConsole } from './state.ts'
import { currentTheme, toggleTheme } from './theme.ts'

/** Each view, its key on the keyboard, and the views that belong to it. */
const VIEWS = [
  { view: 'network', title: 'Network', key: '1' },
  { view: 'stopped', title: 'Why stopped', key: '2' },
  { view: 'blocks', title: 'Blocks', key: '3', includes: ['block', 'tx', 'address'] },
  { view: 'pool', title: 'Pool', key: '4' },
  { view: 'node', title: 'Node', key: '5' },
  { view: 'permissions', title: 'Permissions', key: '6' },
  { view: 'votes', title: 'Votes', key: '7' },
  { view: 'try', title: 'Try', key: '8' },
] as const

/** Views that show one node's answers. */
const OF_ONE_NODE = [
  'stopped',
  'blocks',
  'block',
  'tx',
  'address',
  'pool',
  'node',
  'permissions',
  'votes',
  'try',
]

export function App() {
  const { setup, isSignedIn, problem } = useConsole()
  const [route, setRoute] = useState(() => readRoute(location.hash))
  useEffect(() => {
    const onHash = (): void => setRoute(readRoute(location.hash))
    addEventListener('hashchange', onHash)
    addEventListener('keydown', onKey)
    return () => {
      removeEventListener('hashchange', onHash)
      removeEventListener('keydown', onKey)
    }
  }, [])
  if (setup === undefined) return <main class="centre">{problem ?? 'Loading…'}</main>
  if (!isSignedIn) return <SignIn />
  const node = nodeNamed(route.query.get('node'))!
  return (
    <div class="frame">
      <button type="button" class="skip" onClick={focusContent}>
        Skip to the content
      </button>
      <Side route={route} />
      <div class="body">
        <Top route={route} node={node} />
        <main id="content" tabIndex={-1}>
          {/* Not by name: the node learns its name after the page opened, and forms would lose their input. */}
          <Guard key={`${node.key} ${route.view}`}>
            <Screen route={route} node={node} />
          </Guard>
        </main>
      </div>
    </div>
  )
}

/** A node may send anything. A screen that cannot show it must not take the page with it. */
class Guard extends Component<{ children: ComponentChildren }, { problem: string | undefined }> {
  override state: { problem: string | undefined } = { problem: undefined }

  override componentDidCatch(error: unknown): void {
    this.setState({ problem: String(error) })
  }

  override render() {
    const { problem } = this.state
    if (problem === undefined) return this.props.children
    return (
      <Empty title="This screen cannot show the answers of the node">
        {problem}{' '}
        <button type="button" class="quiet" onClick={() => this.setState({ problem: undefined })}>
          Try again
        </button>
      </Empty>
    )
  }
}

function focusContent(): void {
  document.getElementById('content')?.focus()
}

function onKey(event: KeyboardEvent): void {
  const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select') !== null
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return
  const found = VIEWS.find(({ key }) => key === event.key)
  if (found) goTo(found.view)
  if (event.key === '/') {
    event.preventDefault()
    document.getElementById('find')?.focus()
  }
}

function Screen({ route, node }: { route: Route; node: NodeView }) {
  const [first = ''] = route.args
  switch (route.view) {
    case 'network':
      return <NetworkScreen />
    case 'stopped':
      return <StoppedScreen node={node} />
    case 'blocks':
      return <BlocksScreen node={node} before={route.query.get('before')} />
    case 'block':
      return <BlockScreen key={first} node={node} id={first} />
    case 'tx':
      return <TransactionScreen key={first} node={node} hash={first} />
    case 'address':
      return <AddressScreen key={first} node={node} address={first} />
    case 'pool':
      return <PoolScreen node={node} route={route} />
    case 'node':
      return <NodeScreen node={node} />
    case 'permissions':
      return <PermissionsScreen node={node} />
    case 'votes':
      return <VotesScreen node={node} />
    case 'try':
      return <TryScreen node={node} method={first} />
    default:
      return <p class="problem">There is no view “{route.view}”.</p>
  }
}

function Side({ route }: { route: Route }) {
  return (
    <nav class="side" aria-label="Views">
      <a class="brand" href={linkTo('network')}>
        <img src="/icon.svg" alt="" width="20" height="20" />
        Cairn
      </a>
      <ul>
        {VIEWS.map((each) => {
          const { view, title, key } = each
          const isHere =
            route.view === view ||
            ('includes' in each && (each.includes as readonly string[]).includes(route.view))
          return (
            <li key={view}>
              <a href={linkTo(view)} aria-current={isHere ? 'page' : undefined}>
                {title}
                <span class="key">{key}</span>
              </a>
            </li>
          )
        })}
      </ul>
      <div class="side-end">
        <button type="button" class="quiet" onClick={toggleTheme}>
          {currentTheme() === 'dark' ? 'Light' : 'Dark'} colours
        </button>
        {state.setup?.authentication !== 'off' && (
          <button
            type="button"
            class="quiet"
            onClick={() => {
              forgetTokens()
              leave()
            }}
          >
            Sign out
          </button>
        )}
      </div>
    </nav>
  )
}

function Top({ route, node }: { route: Route; node: NodeView }) {
  const self = state.nodes[0]!
  const isOfOne = OF_ONE_NODE.includes(route.view)
  return (
    <header class="top">
      <Search />
      {isOfOne && state.nodes.length > 1 && (
        <label class="chooser">
          <span class="label">Node</span>
          <select
            value={node.name}
            onChange={(event) =>
              goTo([route.view, ...route.args].join('/'), { node: event.currentTarget.value })
            }
          >
            {state.nodes.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
      <div class="live" role="status">
        <Connection />
        {self.head && (
          <a class="head" href={linkTo(`block/${toNumber(self.head.number)}`, { node: undefined })} id="head">
            Block {count(toNumber(self.head.number))}
          </a>
        )}
      </div>
    </header>
  )
}

function Connection() {
  const { connection, lostAtMs, headAtMs } = state
  const [nowMs, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  if (connection === 'connecting') return <Badge level="idle">Connecting</Badge>
  if (connection === 'lost') {
    return <Badge level="bad">Connection lost {ago(nowMs - lostAtMs)}; reconnecting</Badge>
  }
  return (
    <Badge level="good">
      <span title={headAtMs > 0 ? `Last block seen ${duration(nowMs - headAtMs)} ago` : ''}>Live</span>
    </Badge>
  )
}

const HASH = /^0x[\da-f]{64}$/i
const ADDRESS = /^0x[\da-f]{40}$/i

function Search() {
  const [problem, setProblem] = useState('')
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault()
    const input = (event.currentTarget as HTMLFormElement).elements.namedItem('find') as HTMLInputElement
    const text = input.value.trim()
    const target = targetOf(text)
    setProblem(target === undefined ? 'Enter a block number, a hash or an address.' : '')
    if (target !== undefined) goTo(target)
  }
  return (
    <form class="search" onSubmit={onSubmit}>
      <input
        id="find"
        name="find"
        placeholder="Block number, hash or address"
        aria-label="Find a block, transaction or address"
        autocomplete="off"
        spellcheck={false}
      />
      <span class="key">/</span>
      {problem && (
        <span class="hint" role="alert">
          {problem}
        </span>
      )}
    </form>
  )
}

function targetOf(text: string): string | undefined {
  if (/^[\d,]+$/.test(text)) return `block/${text.replaceAll(',', '')}`
  if (ADDRESS.test(text)) return `address/${text}`
  return HASH.test(text) ? `tx/${text}` : undefined
}

function SignIn() {
  const [problem, setProblem] = useState('')
  const isPassword = state.setup?.authentication === 'credentials'
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const read = (name: string): string => (form.elements.namedItem(name) as HTMLInputElement).value
    if (!isPassword) {
      for (const { key } of state.nodes) useToken(key, read('token').trim())
      follow()
      return
    }
    signIn(read('username'), read('password')).then(setProblem, () => setProblem('The node does not answer.'))
  }
  return (
    <main class="centre">
      <form class="panel sign-in" onSubmit={onSubmit}>
        <h1>
          <img src="/icon.svg" alt="" width="24" height="24" /> Cairn Console
        </h1>
        {isPassword ? (
          <>
            <label>
              User
              <input name="username" autocomplete="username" required />
            </label>
            <label>
              Password
              <input name="password" type="password" autocomplete="current-password" required />
            </label>
          </>
        ) : (
          <label>
            Token
            <input name="token" type="password" autocomplete="off" required />
          </label>
        )}
        <button type="submit" class="primary">
          Sign in
        </button>
        <p class="note">The token stays in the memory of this page: a reload asks again.</p>
        {problem && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
      </form>
    </main>
  )
}

/** Nodes issue their own tokens, so the same login goes to each of them. Resolves with the problem, if any. */
async function signIn(username: string, password: string): Promise<string> {
  if (!(await logIn(SELF, username, password))) return 'The node does not know this user and password.'
  const others = state.nodes.filter(({ key }) => key !== SELF)
  await Promise.allSettled(others.map(({ key }) => logIn(key, username, password)))
  follow()
  return ''
}
