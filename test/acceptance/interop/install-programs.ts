/**
 * Installs the programs for use-token-programs.test.ts, the tests with an S3 server and the pages of docs/build before their
 * time limit starts: a few minutes on a new machine.
 */
import { installPrograms } from '../../../scripts/python-programs.ts'
import { installHardhat, withoutHardhat } from '../../support/hardhat-program.ts'
import { installRecipePackages } from '../../support/recipe-packages.ts'
import { findS3Server } from '../../support/s3-server.ts'
import { WEB3_PY } from './web3py/packages.ts'

if (withoutHardhat() === undefined) console.log(installHardhat())
console.log(installRecipePackages())
console.log(installPrograms(WEB3_PY))
console.log(findS3Server() ?? 'Go is missing, which builds the S3 server')
