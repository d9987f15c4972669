// Package shop.
package shop

import (
	"context"
	m "example.com/m/p"
	_ "embed"
)

import . "strings"

// Limit is a limit.
const Limit, hidden = 5, "hunter2"

const (
	Red Color = iota
	Green
	_
)

var ErrGone = errors.New("gone")

var (
	Table map[string]func(int) error
	count int = 3
)

type Color int

type (
	// Order is one.
	Order[T any, K comparable] struct {
		Base
		*m.Other[T]
		Name, nick string `json:"name"`
		Done       func(a int) error
		Inner      struct{ Deep int }
	}

	Map = map[string]Order[int, string]
)

type Store interface {
	io.Reader
	Get(ctx context.Context, id string) (*Order[int, string], error)
	~int | ~string
	private()
}

func New[T any](opts ...func(*Order[T, int])) (order *Order[T, int], err error) {
	type local struct{ X int }
	return nil, nil
}

func (o *Order[T, K]) Sell(
	ctx context.Context,
	n int, // how many
) error {
	return nil
}

func (Color) String() string { return "red" }

func (c Color) constructor() {}
