// as --miner-extra-data says, or the name of the program
>> {"jsonrpc":"2.0","id":1,"method":"miner_getExtraData","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":"0x636169726e20302e312e30"}
// leading zeros are not told
>> {"jsonrpc":"2.0","id":2,"method":"miner_setExtraData","params":["0x001234"]}
<< {"jsonrpc":"2.0","id":2,"result":true}
>> {"jsonrpc":"2.0","id":3,"method":"miner_getExtraData","params":[]}
<< {"jsonrpc":"2.0","id":3,"result":"0x1234"}
// none
>> {"jsonrpc":"2.0","id":4,"method":"miner_setExtraData","params":["0x"]}
<< {"jsonrpc":"2.0","id":4,"result":true}
>> {"jsonrpc":"2.0","id":5,"method":"miner_getExtraData","params":[]}
<< {"jsonrpc":"2.0","id":5,"result":"0x"}
