import { useState } from 'preact/hooks'
import { count, plural } from '../format.ts'
import { Address, Badge, Empty, Panel, Problem, Table, useLoaded } from '../parts.tsx'
import { discover, whyNot } from '../rights.ts'
import { request } from '../rpc.ts'
import { type NodeView, useConsole } from '../state.ts'
import { NoValidators } from './network.tsx'

/** As in QBFT and IBFT 2.0: two thirds, rounded up. */
const quorumOf = (validators: number): number => Math.ceil((2 * validators) / 3)
const toleratedBy = (validators: number): number => Math.floor((validators - 1) / 3)
const ADDRESS = /^0x[\da-f]{40}$/i

export function VotesScreen({ node }: { node: NodeView }) {
  useConsole()
  const [turn, setTurn] = useState(0)
  const { bft } = node
  const api = bft?.protocol === 'ibft2' ? 'ibft' : 'qbft'
  const votes = useLoaded(
    () => (bft ? request<Record<string, boolean>>(node.key, `${api}_getPendingVotes`) : Promise.resolve({})),
    [node.key, api, turn, node.head?.number, bft !== undefined],
  )
  const document = useLoaded(() => discover(node.key), [node.key])
  if (bft === undefined) {
    return (
      <Panel title="Votes">
        <NoValidators node={node} />
      </Panel>
    )
  }
  const refusal = whyNot(node.key, `${api}_proposeValidatorVote`, document.value)
  const change = async (method: string, ...params: unknown[]): Promise<void> => {
    await request(node.key, `${api}_${method}`, ...params)
    setTurn((before) => before + 1)
  }
  const pending = Object.entries(votes.value ?? {})
  const majority = Math.floor(bft.quorum.validators / 2) + 1
  return (
    <>
      <Panel
        title="Votes of this node"
        note={`a change needs ${plural(majority, 'vote')} of ${bft.quorum.validators} validators`}
      >
        {votes.error && <Problem text={votes.error} />}
        <Table
          label="Votes"
          columns={[
            { title: 'Address', cell: ([address]) => <Address value={address} /> },
            {
              title: 'Vote',
              cell: ([, isAdd]) => <Badge level={isAdd ? 'good' : 'warn'}>{isAdd ? 'add' : 'remove'}</Badge>,
            },
            {
              title: '',
              cell: ([address]) =>
                refusal === undefined && (
                  <button
                    type="button"
                    class="quiet"
                    onClick={() => void change('discardValidatorVote', address)}
                  >
                    Discard
                  </button>
                ),
            },
          ]}
          rows={pending}
          keyOf={([address]) => address}
          empty="This node has no pending votes."
        />
      </Panel>
      <Panel title="Propose a vote">
        {refusal === undefined ? (
          <VoteForm
            validators={bft.validators.map(({ address }) => address)}
            reachable={bft.validators.filter(({ connected }) => connected).length}
            propose={(address, isAdd) => change('proposeValidatorVote', address, isAdd)}
          />
        ) : (
          <Empty title="You cannot vote here">{refusal}</Empty>
        )}
      </Panel>
      <Panel title="Quorum arithmetic" note="validators that must agree, and that may fail">
        <Table
          label="Quorum"
          columns={[
            {
              title: 'Validator set',
              cell: ({ title }) => (title === 'now' ? <span class="strong">now</span> : title),
            },
            { title: 'Validators', isNumber: true, cell: ({ size }) => count(size) },
            { title: 'Must agree', isNumber: true, cell: ({ size }) => count(quorumOf(size)) },
            { title: 'May fail', isNumber: true, cell: ({ size }) => count(toleratedBy(size)) },
          ]}
          rows={sizesAround(bft.quorum.validators)}
          keyOf={({ size }) => String(size)}
          empty=""
        />
      </Panel>
    </>
  )
}

function sizesAround(now: number): readonly { readonly size: number; readonly title: string }[] {
  return [-1, 0, 1, 2].flatMap((step) => {
    const size = now + step
    const title = step === 0 ? 'now' : step < 0 ? 'one fewer' : step === 1 ? 'one more' : 'two more'
    return size > 0 ? [{ size, title }] : []
  })
}

function VoteForm(props: {
  validators: readonly string[]
  reachable: number
  propose: (address: string, isAdd: boolean) => Promise<void>
}) {
  const { validators, reachable } = props
  const [address, setAddress] = useState('')
  const [message, setMessage] = useState('')
  const text = address.trim().toLowerCase()
  const isMember = validators.includes(text)
  const size = validators.length + (isMember ? -1 : 1)
  const alive = reachable - (isMember ? 1 : 0)
  const isSafe = alive >= quorumOf(size)
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault()
    props.propose(text, !isMember).then(
      () => setMessage('The vote is pending until enough validators agree.'),
      (error: Error) => setMessage(error.message),
    )
  }
  return (
    <form class="inset form" onSubmit={onSubmit}>
      <label>
        Address of the validator
        <input
          value={address}
          placeholder="0x…"
          spellcheck={false}
          onInput={(event) => setAddress(event.currentTarget.value)}
        />
      </label>
      {ADDRESS.test(text) && (
        <p id="arithmetic" class={isSafe ? '' : 'bad-text'}>
          {isMember ? 'Removing' : 'Adding'} it leaves {plural(size, 'validator')}: {quorumOf(size)} must
          agree instead of {quorumOf(validators.length)}, and {toleratedBy(size)} may fail instead of{' '}
          {toleratedBy(validators.length)}.
          {!isSafe && ` Only ${alive} of them are connected now, so the chain would stop.`}
        </p>
      )}
      <button
        type="submit"
        class="primary"
        disabled={!ADDRESS.test(text) || size === 0 || (isMember && !isSafe)}
      >
        Vote to {isMember ? 'remove' : 'add'}
      </button>
      {message && (
        <p class="note" role="status">
          {message}
        </p>
      )}
    </form>
  )
}
