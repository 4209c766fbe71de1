module ashlar

go 1.19
