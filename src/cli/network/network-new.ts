import { join } from 'node:path'
import { defineCommand } from '#cli/command.ts'
import { boolean, integer } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { OPERATOR, PASSWORD_FILE } from '#fleet/network-directory.ts'
import { describeNetwork } from '#fleet/new-network.ts'
import { refusal } from '#fleet/plan-network.ts'
import { writeNewFiles } from '#fleet/write-new-files.ts'
import { hashPassword } from '#jsonrpc/auth/password-hash.ts'
import { isMissingOrEmpty } from '#platform/files/files.ts'
import { systemRandom } from '#platform/random.ts'
import { networkOptions } from './network-options.ts'

const PASSWORD_RANDOM_BYTES = 18
/** As many as one machine can run and a person can watch. */
const MAX_NODES = 100

const options = {
  ...networkOptions,
  ...defineOptions('Options', {
    validators: {
      flag: '--validators',
      kind: integer({ min: 1, max: MAX_NODES }),
      default: 4,
      help: 'Number of validators; four tolerate the failure of one.',
    },
    observers: {
      flag: '--observers',
      kind: integer({ min: 0, max: MAX_NODES }),
      default: 0,
      help: 'Number of observers, which follow the chain.',
    },
    chainId: {
      flag: '--chain-id',
      kind: integer({ min: 1 }),
      default: 1337,
      help: 'Chain id of the network.',
    },
    blockPeriodSeconds: {
      flag: '--block-period-seconds',
      kind: integer({ min: 1, max: 3600 }),
      default: 2,
      help: 'Seconds between blocks.',
    },
    permissions: {
      flag: '--permissions',
      kind: boolean,
      default: false,
      help: 'Permit only the nodes and the funded account of the network.',
    },
    auth: {
      flag: '--auth',
      kind: boolean,
      default: false,
      help: 'Require a token; the password of operator is in operator.password.',
    },
  }),
}

export default defineCommand({
  options,
  async run({ own, io }) {
    const directory = own.get(options.directory)
    if (!isMissingOrEmpty(directory)) {
      throw refusal(
        `${directory} is not empty; 'cairn network up' starts the network in it, and --directory names another place.`,
      )
    }
    const network = await describeNetwork({
      validators: own.get(options.validators),
      observers: own.get(options.observers),
      chainId: own.get(options.chainId),
      blockPeriodSeconds: own.get(options.blockPeriodSeconds),
      hasPermissions: own.get(options.permissions),
      password: own.get(options.auth) ? newPassword() : undefined,
    })
    writeNewFiles(network.files, directory)
    const named = directory === networkOptions.directory.default ? '' : ` --directory=${directory}`
    io.out(
      [
        ...network.nodes.map(({ name, http }) => `${name}  http://127.0.0.1:${http}`),
        `Console  http://127.0.0.1:${network.console}/`,
        `Funded account ${network.account}, its key in ${join(directory, 'account.key')}.`,
        ...(own.get(options.auth)
          ? [`User ${OPERATOR}, password in ${join(directory, PASSWORD_FILE)}.`]
          : []),
        `Start the network: cairn network up${named}`,
        '',
      ].join('\n'),
    )
  },
})

function newPassword(): { plain: string; hash: string } {
  const plain = Buffer.from(systemRandom.randomBytes(PASSWORD_RANDOM_BYTES)).toString('base64url')
  return { plain, hash: hashPassword(plain) }
}
