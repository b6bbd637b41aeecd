module promises

go 1.19
