// executed once more, and the head stays
>> {"jsonrpc":"2.0","id":1,"method":"debug_replayBlock","params":["0x4"]}
<< {"jsonrpc":"2.0","id":1,"result":"Success"}
>> {"jsonrpc":"2.0","id":2,"method":"debug_replayBlock","params":["latest"]}
<< {"jsonrpc":"2.0","id":2,"result":"Success"}
// block 0 was not executed, and others are not there
>> {"jsonrpc":"2.0","id":3,"method":"debug_replayBlock","params":["0x0"]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"genesis is not traceable"}}
>> {"jsonrpc":"2.0","id":4,"method":"debug_replayBlock","params":["0x99"]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-39001,"message":"Unknown block"}}
>> {"jsonrpc":"2.0","id":5,"method":"debug_replayBlock","params":[]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid block param (block not found)"}}
