"""Plays the scenario of token-story.ts with web3.py, over HTTP and then over WebSocket. Prints one line of JSON for each."""
import asyncio
import json
import os

from web3 import AsyncWeb3, HTTPProvider, Web3, WebSocketProvider
from web3.exceptions import ContractCustomError
from web3.middleware import SignAndSendRawMiddlewareBuilder
from web3.utils.subscriptions import LogsSubscription

TOKEN = json.loads(os.environ["TOKEN"])
KEY = os.environ["NODE_KEY"]
SUPPLY = int(os.environ["SUPPLY"])
SENT = int(os.environ["SENT"])
RECIPIENT = Web3.to_checksum_address(os.environ["RECIPIENT"])
NOBODY = Web3.to_checksum_address(os.environ["NOBODY"])
WITHIN_SECONDS = 60


def headers(name):
    token = os.environ.get(name)
    return {} if token is None else {"Authorization": token}


def error_name(failure):
    """The name of the custom error whose selector the data begins with."""
    for error in (each for each in TOKEN["abi"] if each["type"] == "error"):
        signature = f"{error['name']}({','.join(each['type'] for each in error['inputs'])})"
        if failure.data.startswith(Web3.keccak(text=signature)[:4].to_0x_hex()):
            return error["name"]
    return str(failure)


def sign_with_key(w3):
    account = w3.eth.account.from_key(KEY)
    w3.middleware_onion.inject(SignAndSendRawMiddlewareBuilder.build(account), layer=0)
    w3.eth.default_account = account.address


def tell(supply, balance, receipt, found, watched, error, estimate, fee, batch):
    story = {
        "supply": str(supply),
        "balance": str(balance),
        "isSuccess": receipt["status"] == 1,
        "found": [str(each) for each in found],
        "watched": [str(each) for each in watched],
        "error": error,
        "isEstimateEnough": receipt["gasUsed"] <= estimate,
        "knowsFee": fee >= 0,
        "batch": [batch[0], str(batch[1])],
    }
    print(json.dumps(story))


def over_http():
    all_headers = {**HTTPProvider.get_request_headers(), **headers("NODE_TOKEN")}
    w3 = Web3(HTTPProvider(os.environ["NODE_URL"], request_kwargs={"headers": all_headers}))
    sign_with_key(w3)
    factory = w3.eth.contract(abi=TOKEN["abi"], bytecode=TOKEN["bytecode"])
    deployed = w3.eth.wait_for_transaction_receipt(factory.constructor(SUPPLY).transact())
    token = w3.eth.contract(address=deployed["contractAddress"], abi=TOKEN["abi"])
    watching = token.events.Transfer.create_filter(from_block="latest")
    estimate = token.functions.transfer(RECIPIENT, SENT).estimate_gas()
    sent = token.functions.transfer(RECIPIENT, SENT).transact({"gas": estimate})
    receipt = w3.eth.wait_for_transaction_receipt(sent)
    watched = [log["args"]["value"] for log in watching.get_new_entries()]
    found = [log["args"]["value"] for log in token.events.Transfer.get_logs(from_block=0)]
    error = "none"
    try:
        token.functions.transfer(RECIPIENT, 1).call({"from": NOBODY})
    except ContractCustomError as failure:
        error = error_name(failure)
    with w3.batch_requests() as batch:
        batch.add(token.functions.totalSupply())
        batch.add(token.functions.balanceOf(NOBODY))
        supply, nothing = batch.execute()
    fee = w3.eth.max_priority_fee + w3.eth.get_block("latest")["baseFeePerGas"]
    balance = token.functions.balanceOf(RECIPIENT).call()
    tell(supply, balance, receipt, found, watched, error, estimate, fee, [w3.eth.chain_id, nothing])


async def over_websocket():
    provider = WebSocketProvider(
        os.environ["NODE_WEBSOCKET"],
        websocket_kwargs={"additional_headers": headers("NODE_WEBSOCKET_TOKEN")},
    )
    async with AsyncWeb3(provider) as w3:
        sign_with_key(w3)
        factory = w3.eth.contract(abi=TOKEN["abi"], bytecode=TOKEN["bytecode"])
        deployed = await w3.eth.wait_for_transaction_receipt(await factory.constructor(SUPPLY).transact())
        token = w3.eth.contract(address=deployed["contractAddress"], abi=TOKEN["abi"])
        watched = []

        async def on_log(context):
            watched.append(token.events.Transfer().process_log(context.result)["args"]["value"])
            await context.subscription.unsubscribe()

        watching = LogsSubscription(address=token.address, handler=on_log)
        await w3.subscription_manager.subscribe(watching)
        estimate = await token.functions.transfer(RECIPIENT, SENT).estimate_gas()
        sent = await token.functions.transfer(RECIPIENT, SENT).transact({"gas": estimate})
        receipt = await w3.eth.wait_for_transaction_receipt(sent)
        # Returns when the last subscription has ended.
        await asyncio.wait_for(w3.subscription_manager.handle_subscriptions(), WITHIN_SECONDS)
        found = [log["args"]["value"] for log in await token.events.Transfer.get_logs(from_block=0)]
        error = "none"
        try:
            await token.functions.transfer(RECIPIENT, 1).call({"from": NOBODY})
        except ContractCustomError as failure:
            error = error_name(failure)
        async with w3.batch_requests() as batch:
            batch.add(token.functions.totalSupply())
            batch.add(token.functions.balanceOf(NOBODY))
            supply, nothing = await batch.async_execute()
        fee = await w3.eth.max_priority_fee + (await w3.eth.get_block("latest"))["baseFeePerGas"]
        balance = await token.functions.balanceOf(RECIPIENT).call()
        chain_id = await w3.eth.chain_id
        tell(supply, balance, receipt, found, watched, error, estimate, fee, [chain_id, nothing])


over_http()
asyncio.run(over_websocket())
