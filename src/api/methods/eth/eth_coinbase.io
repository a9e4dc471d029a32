// a node that does not produce blocks
>> {"jsonrpc":"2.0","id":1,"method":"eth_coinbase","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32604,"message":"Method not enabled"}}
// a node that produces blocks
// options: --miner-coinbase=0x4a62316623ad457f02cdc5d997ded67a383ec569
>> {"jsonrpc":"2.0","id":2,"method":"eth_coinbase","params":[]}
<< {"jsonrpc":"2.0","id":2,"result":"0x4a62316623ad457f02cdc5d997ded67a383ec569"}
