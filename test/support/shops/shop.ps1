using module ./Foo.psm1
using namespace System.IO
Import-Module Bar
. ./lib.ps1
. $PSScriptRoot\more.ps1

function Get-Thing {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory)]
        [string]$Name = "hunter2",
        $Rest
    )
    process {
        function Inner { }
    }
}

function Add($a, [int]$b = 1) { $a + $b }
filter Even { if ($_ % 2 -eq 0) { $_ } }

class Order : Base {
    [string]$Name = "hunter2"
    hidden [int]$count
    static [int]$limit
    Order([int]$n) { $this.count = $n }
    [void] Sell([string]$what) { }
}

enum Color {
    Red
    Green = 2
}
