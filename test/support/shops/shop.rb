require 'json'
require_relative 'shop/item'
require_relative '../up'
autoload :Late, 'shop/late'

module Shop
  VERSION = "hunter2".freeze

  class Order < Base::Thing
    include Comparable
    attr_accessor :name, :nick
    attr_reader :total
    LIMIT = 5

    class << self
      def build(a) = new(a)

      private

      def secret; end
    end

    def initialize(a, b = 1, *c, k:, o: "x", **r, &blk)
      @a = a
    end

    def self.find(id)
      id
    end

    def ==(other) = true

    def name=(value)
      @name = value
    end

    def ok?; end

    define_method(:dynamic) { 1 }
    alias_method :fine?, :ok?
    alias good? ok?

    private

    def hidden
      def inner; end
    end

    public

    def shown; end

    protected def guarded; end

    def late; end
    private :late
    private_class_method :find
  end

  Point = Struct.new(:x, :y) do
    def length; end
  end

  class A::B::Deep; def m; end; end

  module_function

  def helper(x) x end
end

def top; end
$global = 1
